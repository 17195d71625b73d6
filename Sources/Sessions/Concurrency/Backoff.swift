/// When something that failed is tried again: after a pause that doubles with each failure.
struct Backoff {
    private let pauses: ClosedRange<Duration>
    private var last: Duration?
    private var dueAt: Duration?

    init(_ pauses: ClosedRange<Duration>) { self.pauses = pauses }

    /// How long to wait still; nil when it may be tried now.
    func rest(at now: Duration) -> Duration? {
        guard let dueAt, dueAt > now else { return nil }
        return dueAt - now
    }

    /// - Parameter least: the shortest pause, as the server asked for it.
    mutating func failed(at now: Duration, least: Duration? = nil) {
        let pause = last.map { min($0 * 2, pauses.upperBound) } ?? pauses.lowerBound
        last = pause
        dueAt = now + max(pause, least ?? .zero)
    }

    mutating func reset() {
        last = nil
        dueAt = nil
    }
}
