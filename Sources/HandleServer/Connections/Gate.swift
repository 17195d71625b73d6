import NIOConcurrencyHelpers
import NIOCore
import Synchronization

/// Counts of connections, requests in progress and body bytes in memory, and the drain before the service stops.
package final class Gate: Sendable {
    private let draining = Atomic(false)
    private let closing = Atomic(false)
    private let open = Atomic(0)
    private let accepted = Atomic(0)
    private let refused = Atomic(0)
    private let working = Atomic(0)
    private let held = Atomic(0)
    private let listener = NIOLockedValueBox<(any Channel)?>(nil)

    package init() {}

    /// True once the drain has begun. Requests still get responses, but each response closes its connection, so that
    /// the client connects to another server.
    package var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// True once new connections are dropped. Handshakes that have begun still complete.
    var isClosing: Bool { closing.load(ordering: .acquiring) }

    /// Open connections.
    var connections: Int { open.load(ordering: .relaxed) }

    /// Connections accepted since the start.
    var connectionsTaken: Int { accepted.load(ordering: .relaxed) }

    /// Accepted connections that were closed at once, as their address or network had too many.
    var connectionsRefused: Int { refused.load(ordering: .relaxed) }

    /// Requests in progress.
    var requests: Int { working.load(ordering: .relaxed) }

    /// Drains the server before it is stopped, so that requests still get their responses.
    ///
    /// First, `/readyz` fails and each response has `Connection: close`. After `notice`, when load balancers have seen
    /// that, new connections are dropped. Connections that have begun get a moment longer for their responses.
    /// - Parameter notice: time that load balancers need to see that `/readyz` fails.
    package func drain(notice: Duration, clock: some Clock<Duration> = ContinuousClock()) async throws {
        draining.store(true, ordering: .relaxed)
        // No event tells that the load balancers have noticed, so the operator sets the time.
        try await clock.sleep(for: notice)
        // Drops new SYNs, as packet loss would. Clients retry by themselves, and are refused once the socket is closed.
        // Closing it at once would reset the connections that wait in the listen backlog.
        closing.store(true, ordering: .releasing)
        guard let listener = listener.withLockedValue({ $0 }), await ListeningSocket.dropNewConnections(listener) else {
            return
        }
        // Connections in the listen backlog are still accepted, on a busy machine after a while, and get responses.
        // A connection that will never send a request looks like one that is about to, so the wait for idle
        // connections is limited.
        let start = ContinuousClock.now
        var (lastWaiting, taken) = (start, connectionsTaken)
        while .now - start < Self.longestLastCall {
            let areWaiting = await ListeningSocket.connectionsWaiting(on: listener) > 0
            if areWaiting || taken != connectionsTaken { (lastWaiting, taken) = (.now, connectionsTaken) }
            if .now - lastWaiting > (connections > 0 ? Self.lastCall : Self.handshakeTime) { return }
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

    func begin(listeningOn channel: any Channel) { listener.withLockedValue { $0 = channel } }

    func connectionOpened() {
        open.add(1, ordering: .relaxed)
        accepted.add(1, ordering: .relaxed)
    }

    func connectionRefused() { refused.add(1, ordering: .relaxed) }

    func connectionClosed() { open.subtract(1, ordering: .relaxed) }

    /// Admits a request, unless `limit` requests are in progress already.
    func enter(atMost limit: Int) -> Bool {
        guard working.add(1, ordering: .relaxed).newValue > limit else { return true }
        leave()
        return false
    }

    /// Counts body bytes as held in memory, unless all held bytes together would exceed `limit`.
    func take(bytes: Int, atMost limit: Int) -> Bool {
        guard held.add(bytes, ordering: .relaxed).newValue > limit else { return true }
        letGo(bytes: bytes)
        return false
    }

    func letGo(bytes: Int) { held.subtract(bytes, ordering: .relaxed) }

    func leave() { working.subtract(1, ordering: .relaxed) }
}
