import NIOConcurrencyHelpers
import NIOCore
import Synchronization

/// Counts connections, requests and bytes of bodies, and drains the service.
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

    /// True once the service drains: it still answers, and every response closes its connection.
    package var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// True once new connections are dropped. Handshakes under way finish.
    var isClosing: Bool { closing.load(ordering: .acquiring) }

    /// Open connections.
    var connections: Int { open.load(ordering: .relaxed) }

    /// Connections accepted since the start.
    var connectionsTaken: Int { accepted.load(ordering: .relaxed) }

    /// Accepted connections that were closed at once, because their address or network had too many.
    var connectionsRefused: Int { refused.load(ordering: .relaxed) }

    /// Requests in progress.
    var requests: Int { working.load(ordering: .relaxed) }

    /// Drains the service before it stops, without interrupting a request.
    ///
    /// At first `/readyz` fails and each response says `Connection: close`. Once load balancers have had the time to
    /// notice, new connections are dropped, and connections that were made get a moment for their responses.
    /// - Parameter notice: the time that load balancers need to notice.
    package func drain(notice: Duration, clock: some Clock<Duration> = ContinuousClock()) async throws {
        draining.store(true, ordering: .relaxed)
        // Nothing reports that they have noticed, so the operator sets the time.
        try await clock.sleep(for: notice)
        // Drops new SYNs, as packet loss would: clients retry, and are refused once the socket is closed. Closing it at
        // once would reset the connections that wait in the backlog.
        closing.store(true, ordering: .releasing)
        guard let listener = listener.withLockedValue({ $0 }), await ListeningSocket.dropNewConnections(listener) else {
            return
        }
        // Connections in the backlog are still accepted, on a busy machine after a while, and get a response. Idle
        // connections are not waited for.
        let start = ContinuousClock.now
        var (lastWaiting, taken) = (start, connectionsTaken)
        while .now - start < Self.longestLastCall {
            let areWaiting = await ListeningSocket.connectionsWaiting(on: listener) > 0
            if areWaiting || taken != connectionsTaken { (lastWaiting, taken) = (.now, connectionsTaken) }
            if .now - lastWaiting > (connections > 0 ? Self.lastCall : Self.handshakeTime) { return }
            // The system does not report an empty backlog, so it is polled.
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// How long a handshake, or a connection that was just accepted, may take until it counts.
    private static let handshakeTime = Duration.milliseconds(200)
    /// The longest wait for the first request of accepted connections, from the last accept.
    private static let lastCall = Duration.milliseconds(700)
    /// The longest wait in all, for the backlog too.
    private static let longestLastCall = Duration.seconds(5)

    func begin(listeningOn channel: any Channel) { listener.withLockedValue { $0 = channel } }

    func connectionOpened() {
        open.add(1, ordering: .relaxed)
        accepted.add(1, ordering: .relaxed)
    }

    func connectionRefused() { refused.add(1, ordering: .relaxed) }

    func connectionClosed() { open.subtract(1, ordering: .relaxed) }

    /// Admits a request, unless `limit` requests are in progress.
    func enter(atMost limit: Int) -> Bool {
        guard working.add(1, ordering: .relaxed).newValue > limit else { return true }
        leave()
        return false
    }

    /// Counts bytes of a body, unless all bodies together would have more than `limit`.
    func take(bytes: Int, atMost limit: Int) -> Bool {
        guard held.add(bytes, ordering: .relaxed).newValue > limit else { return true }
        letGo(bytes: bytes)
        return false
    }

    func letGo(bytes: Int) { held.subtract(bytes, ordering: .relaxed) }

    func leave() { working.subtract(1, ordering: .relaxed) }
}
