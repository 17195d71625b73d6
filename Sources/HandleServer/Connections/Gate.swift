import NIOConcurrencyHelpers
import NIOCore
import Synchronization

/// The way in: how many callers are inside, and whether it is about to close.
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

    /// Whether the service is about to stop: it still answers, and asks every caller to come back elsewhere.
    package var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Whether no new connection is begun any more; those that are being made come to their end.
    var isClosing: Bool { closing.load(ordering: .acquiring) }

    /// Connections that are open now.
    var connections: Int { open.load(ordering: .relaxed) }

    /// Connections that were ever taken.
    var connectionsTaken: Int { accepted.load(ordering: .relaxed) }

    /// Of these, those that were closed at once, as there were too many from their address.
    var connectionsRefused: Int { refused.load(ordering: .relaxed) }

    /// Requests that are worked on now.
    var requests: Int { working.load(ordering: .relaxed) }

    /// Closes the way in without cutting anybody off, before the service is stopped.
    ///
    /// At first only what tells others about it changes: `/readyz` fails, and each answer says `Connection: close`. When
    /// those who send callers here have had the time to notice, no new connection is begun, and those that were begun
    /// are given a moment to get their answers.
    /// - Parameter notice: how long others need to notice.
    package func drain(notice: Duration, clock: some Clock<Duration> = ContinuousClock()) async throws {
        draining.store(true, ordering: .relaxed)
        // Nothing says when they have noticed, so it is a time that the operator knows.
        try await clock.sleep(for: notice)
        // Has the system overlook everybody who wants to connect, as if the line were bad: they try again by
        // themselves, and are refused once the socket is closed. To close it at once would cut off those who are
        // connected and wait to be accepted.
        closing.store(true, ordering: .releasing)
        guard let listener = listener.withLockedValue({ $0 }), await ListeningSocket.dropNewConnections(listener) else {
            return
        }
        // Who is connected by now is accepted, on a busy machine after a while, and gets an answer. Callers who mean to
        // ask nothing don't say so: whoever stays without asking anything is not waited for.
        let start = ContinuousClock.now
        var (lastWaiting, taken) = (start, connectionsTaken)
        while .now - start < Self.longestLastCall {
            let areWaiting = await ListeningSocket.connectionsWaiting(on: listener) > 0
            if areWaiting || taken != connectionsTaken { (lastWaiting, taken) = (.now, connectionsTaken) }
            if .now - lastWaiting > (connections > 0 ? Self.lastCall : Self.handshakeTime) { return }
            // The system tells of nobody who waits: it has to be asked again.
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// How long a connection that is being made, or was just accepted, may take until it counts.
    private static let handshakeTime = Duration.milliseconds(200)
    /// The longest wait for callers that have been let in and have not asked yet, from when the last one was.
    private static let lastCall = Duration.milliseconds(700)
    /// The longest wait for all of them, also those that have yet to be accepted.
    private static let longestLastCall = Duration.seconds(5)

    func begin(listeningOn channel: any Channel) { listener.withLockedValue { $0 = channel } }

    func connectionOpened() {
        open.add(1, ordering: .relaxed)
        accepted.add(1, ordering: .relaxed)
    }

    func connectionRefused() { refused.add(1, ordering: .relaxed) }

    func connectionClosed() { open.subtract(1, ordering: .relaxed) }

    /// Lets a request in unless so many are inside already.
    func enter(atMost limit: Int) -> Bool {
        guard working.add(1, ordering: .relaxed).newValue > limit else { return true }
        leave()
        return false
    }

    /// Takes bytes of a body into memory unless so many are there already.
    func take(bytes: Int, atMost limit: Int) -> Bool {
        guard held.add(bytes, ordering: .relaxed).newValue > limit else { return true }
        letGo(bytes: bytes)
        return false
    }

    func letGo(bytes: Int) { held.subtract(bytes, ordering: .relaxed) }

    func leave() { working.subtract(1, ordering: .relaxed) }
}
