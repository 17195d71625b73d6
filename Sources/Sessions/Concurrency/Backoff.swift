/// Exponential back-off: the pause before a retry doubles with each failure.
struct Backoff {
    private let pauses: ClosedRange<Duration>
    private var last: Duration?
    private var dueAt: Duration?

    init(_ pauses: ClosedRange<Duration>) { self.pauses = pauses }

    /// The time left to wait; nil when a retry is allowed now.
    func rest(at now: Duration) -> Duration? {
        guard let dueAt, dueAt > now else { return nil }
        return dueAt - now
    }

    /// - Parameter least: the shortest pause that the server asked for.
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
