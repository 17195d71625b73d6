import NIOCore
import Glibc

/// Socket options of a listening socket.
enum ListeningSocket {
    #if os(Linux)
    /// The minimum TTL of packets: `IP_MINTTL` of ip(7), and for IPv6
    /// `IPV6_MINHOPCOUNT` of <linux/in6.h>. Made for RFC 5082.
    private static let (leastTimeToLive, leastHops) = (
        NIOBSDSocket.Option(rawValue: 21), NIOBSDSocket.Option(rawValue: 73)
    )

    /// Drops packets for the listening socket itself, which are SYNs. Connections, also those in the handshake, are
    /// sockets of their own. No packet of a client has a TTL of 255: systems send with 64 or 128.
    /// - Returns: true if the system has accepted the option.
    static func dropNewConnections(_ listener: any Channel) async -> Bool {
        (try? await require(255, of: listener)?.get()) != nil
    }

    /// The length of the listen backlog: for a listening socket it is in this field of `TCP_INFO`.
    static func connectionsWaiting(on listener: any Channel) async -> Int {
        guard let socket = listener as? any SocketOptionProvider, let info = try? await socket.getTCPInfo().get()
        else { return 0 }
        return Int(info.tcpi_unacked)
    }

    /// Accepts packets of any TTL on a connection. A connection whose handshake was under way when SYNs began to be dropped
    /// has inherited the option; packets that it has missed are sent again.
    static func takeEverything(on connection: any Channel) { _ = require(0, of: connection) }

    /// Nil for a socket that is not an internet socket.
    private static func require(_ least: CInt, of channel: any Channel) -> EventLoopFuture<Void>? {
        guard let socket = channel as? any SocketOptionProvider, let address = channel.localAddress else {
            return nil
        }
        func setIPv4() -> EventLoopFuture<Void> {
            socket.unsafeSetSocketOption(level: .ip, name: leastTimeToLive, value: least)
        }
        switch address {
        case .v4: return setIPv4()
        // It may accept IPv4 as well.
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
