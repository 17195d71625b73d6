import NIOConcurrencyHelpers
import NIOCore
import Synchronization

/// Drains the server before it is stopped, so that requests still get their responses.
package final class Drain: Sendable {
    private enum Phase: UInt8, AtomicRepresentable {
        case serving
        /// Requests still get responses, but each response closes its connection, so that the client connects to
        /// another server.
        case draining
        /// New connections are dropped. Handshakes that have begun still complete.
        case closing
    }

    package let load: ServerLoad
    private let phase = Atomic(Phase.serving)
    private let listener = NIOLockedValueBox<(any Channel)?>(nil)

    package init(_ load: ServerLoad = ServerLoad()) { self.load = load }

    /// True once the drain has begun.
    package var hasBegun: Bool { phase.load(ordering: .relaxed) != .serving }

    /// True once new connections are dropped.
    var isClosing: Bool { phase.load(ordering: .acquiring) == .closing }

    /// The server accepts connections on this channel.
    func listen(on channel: any Channel) { listener.withLockedValue { $0 = channel } }

    /// Runs the drain.
    ///
    /// First, `/readyz` fails and each response has `Connection: close`. After `notice`, when load balancers have seen
    /// that, new connections are dropped. Connections that have begun get a moment longer for their responses.
    /// - Parameter notice: time that load balancers need to see that `/readyz` fails.
    package func run(notice: Duration, clock: some Clock<Duration> = ContinuousClock()) async throws {
        phase.store(.draining, ordering: .relaxed)
        // No event tells that the load balancers have noticed, so the operator sets the time.
        try await clock.sleep(for: notice)
        // Drops new SYNs, as packet loss would. Clients retry by themselves, and are refused once the socket is closed.
        // Closing it at once would reset the connections that wait in the listen backlog.
        phase.store(.closing, ordering: .releasing)
        guard let listener = listener.withLockedValue({ $0 }), await ListeningSocket.dropNewConnections(listener) else {
            return
        }
        // Connections in the listen backlog are still accepted, on a busy machine after a while, and get responses.
        // A connection that will never send a request looks like one that is about to, so the wait for idle
        // connections is limited.
        let start = ContinuousClock.now
        var (lastWaiting, taken) = (start, load.connectionsAccepted)
        while .now - start < Self.longestLastCall {
            let areWaiting = await ListeningSocket.connectionsWaiting(on: listener) > 0
            if areWaiting || taken != load.connectionsAccepted {
                (lastWaiting, taken) = (.now, load.connectionsAccepted)
            }
            if .now - lastWaiting > (load.connections > 0 ? Self.lastCall : Self.handshakeTime) { return }
            // There is no event for changes of the listen backlog, so poll it.
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Longest time until a connection in its handshake is in the listen backlog, or an accepted one is counted.
    private static let handshakeTime = Duration.milliseconds(200)
    /// Longest wait for the requests of open connections, counted from the last connection that was in the listen
    /// backlog or accepted.
    private static let lastCall = Duration.milliseconds(700)
    /// Longest wait for all connections together, including those not accepted yet.
    private static let longestLastCall = Duration.seconds(5)
}
