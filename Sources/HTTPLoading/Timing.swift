/// A clock that says how much time has passed since it was looked at first.
package struct Timing: Sendable {
    /// Since this value was made.
    package let elapsed: @Sendable () -> Duration
    package let sleep: @Sendable (Duration) async throws -> Void

    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
    }
}
