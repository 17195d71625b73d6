import Synchronization

/// Counts of open connections, requests in progress and body bytes in memory.
package final class ServerLoad: Sendable {
    private let open = Atomic(0)
    private let accepted = Atomic(0)
    private let refused = Atomic(0)
    private let inProgress = Atomic(0)
    private let held = Atomic(0)

    package init() {}

    // MARK: Connections

    /// Open connections.
    package var connections: Int { open.load(ordering: .relaxed) }

    /// Connections accepted since the start.
    var connectionsAccepted: Int { accepted.load(ordering: .relaxed) }

    /// Accepted connections that were closed at once, as their address or network had too many.
    var connectionsRefused: Int { refused.load(ordering: .relaxed) }

    func connectionOpened() {
        open.add(1, ordering: .relaxed)
        accepted.add(1, ordering: .relaxed)
    }

    func connectionRefused() { refused.add(1, ordering: .relaxed) }

    func connectionClosed() { open.subtract(1, ordering: .relaxed) }

    // MARK: Requests

    /// Requests in progress.
    var requests: Int { inProgress.load(ordering: .relaxed) }

    /// Counts a request as in progress, unless `limit` requests are already.
    package func beginRequest(atMost limit: Int) -> Bool {
        guard inProgress.add(1, ordering: .relaxed).newValue > limit else { return true }
        endRequest()
        return false
    }

    package func endRequest() { inProgress.subtract(1, ordering: .relaxed) }

    // MARK: Bodies

    /// Counts body bytes as held in memory, unless all held bytes together would exceed `limit`.
    func hold(bytes: Int, atMost limit: Int) -> Bool {
        guard held.add(bytes, ordering: .relaxed).newValue > limit else { return true }
        release(bytes: bytes)
        return false
    }

    func release(bytes: Int) { held.subtract(bytes, ordering: .relaxed) }
}
