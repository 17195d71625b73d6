/// Pauses between attempts: each is about twice as long as the one before, up to a limit.
struct BackOff: Sendable {
    var first = Duration.seconds(1)
    var longest = Duration.seconds(300)

    /// The pause after so many failures in a row: at random from half of it on, so that many programs don't return at
    /// the same moment.
    /// - Parameter asked: the least pause that the other side asks for. It counts up to the longest one.
    func pause(
        afterFailures failures: Int, asked: Duration? = nil, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        var pause = first
        for _ in 1..<max(failures, 1) where pause < longest { pause = min(pause * 2, longest) }
        let random = pause * Double.random(in: 0.5...1, using: &generator)
        return max(random, min(asked ?? .zero, longest))
    }
}
