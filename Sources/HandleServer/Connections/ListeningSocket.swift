import NIOCore
import Glibc

/// Socket options that the drain needs: dropping new connections, and the size of the listen backlog.
enum ListeningSocket {
    /// Options for the minimum time to live (TTL) of a received packet: `IP_MINTTL` of ip(7), and the same for IPv6,
    /// `IPV6_MINHOPCOUNT` of <linux/in6.h>. They exist for RFC 5082.
    private static let (leastTimeToLive, leastHops) = (
        NIOBSDSocket.Option(rawValue: 21), NIOBSDSocket.Option(rawValue: 73)
    )

    /// Drops the packets for the listening socket itself, which are SYNs. Established connections, and those in the
    /// handshake, are sockets of their own. The minimum is set to 255. No client's packet has that: systems send with
    /// 64 or 128.
    /// - Returns: true if the option is set.
    static func dropNewConnections(_ listener: any Channel) async -> Bool {
        (try? await require(255, of: listener)?.get()) != nil
    }

    /// Number of connections in the listen backlog, established but not accepted yet. For a listening socket, it is in
    /// the field `tcpi_unacked` of `TCP_INFO`.
    static func connectionsWaiting(on listener: any Channel) async -> Int {
        guard let socket = listener as? any SocketOptionProvider, let info = try? await socket.getTCPInfo().get()
        else { return 0 }
        return Int(info.tcpi_unacked)
    }

    /// Clears the minimum time to live of a connection. A connection that was in its handshake when dropping began
    /// inherits the minimum from the listening socket; the packets it has missed are retransmitted.
    static func takeEverything(on connection: any Channel) { _ = require(0, of: connection) }

    /// Sets the minimum time to live; nil if the socket is neither IPv4 nor IPv6.
    private static func require(_ least: CInt, of channel: any Channel) -> EventLoopFuture<Void>? {
        guard let socket = channel as? any SocketOptionProvider, let address = channel.localAddress else {
            return nil
        }
        func setIPv4() -> EventLoopFuture<Void> {
            socket.unsafeSetSocketOption(level: .ip, name: leastTimeToLive, value: least)
        }
        switch address {
        case .v4: return setIPv4()
        // An IPv6 socket may accept IPv4 connections as well.
        case .v6:
            return setIPv4().and(socket.unsafeSetSocketOption(level: .ipv6, name: leastHops, value: least))
                .map { _ in }
        case .unixDomainSocket: return nil
        }
    }
}
