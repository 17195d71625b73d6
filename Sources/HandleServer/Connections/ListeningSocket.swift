import NIOCore
import Glibc

/// What can be done with a listening socket besides taking connections.
enum ListeningSocket {
    #if os(Linux)
    /// The least time to live that a packet must have left: `IP_MINTTL` of ip(7), and the same for IPv6,
    /// `IPV6_MINHOPCOUNT` of <linux/in6.h>. Made for RFC 5082.
    private static let (leastTimeToLive, leastHops) = (
        NIOBSDSocket.Option(rawValue: 21), NIOBSDSocket.Option(rawValue: 73)
    )

    /// Drops what arrives for the socket itself, which is requests for connections; those that were made, and those
    /// that are being made, are sockets of their own. No packet of a caller has 255 left: systems send with 64 or 128.
    /// - Returns: whether the system does so now.
    static func dropNewConnections(_ listener: any Channel) async -> Bool {
        (try? await require(255, of: listener)?.get()) != nil
    }

    /// How many connections were made that nobody has accepted yet: for a listening socket the system says it in this
    /// field of `TCP_INFO`.
    static func connectionsWaiting(on listener: any Channel) async -> Int {
        guard let socket = listener as? any SocketOptionProvider, let info = try? await socket.getTCPInfo().get()
        else { return 0 }
        return Int(info.tcpi_unacked)
    }

    /// Takes everything that arrives on a connection. One that was being made when new ones began to be dropped has
    /// that from the listening socket; what it has missed is sent again.
    static func takeEverything(on connection: any Channel) { _ = require(0, of: connection) }

    /// Nil for a socket that is none of the internet.
    private static func require(_ least: CInt, of channel: any Channel) -> EventLoopFuture<Void>? {
        guard let socket = channel as? any SocketOptionProvider, let address = channel.localAddress else {
            return nil
        }
        func setIPv4() -> EventLoopFuture<Void> {
            socket.unsafeSetSocketOption(level: .ip, name: leastTimeToLive, value: least)
        }
        switch address {
        case .v4: return setIPv4()
        // It may take callers with IPv4 as well.
        case .v6:
            return setIPv4().and(socket.unsafeSetSocketOption(level: .ipv6, name: leastHops, value: least))
                .map { _ in }
        case .unixDomainSocket: return nil
        }
    }
    #else
    static func dropNewConnections(_ listener: any Channel) async -> Bool { false }
    static func connectionsWaiting(on listener: any Channel) async -> Int { 0 }
    static func takeEverything(on connection: any Channel) {}
    #endif
}
