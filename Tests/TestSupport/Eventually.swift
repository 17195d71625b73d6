/// Waits until a condition holds; it is evaluated every 5 ms. The limit is long, so that a busy machine does not fail
/// the test and only a condition that would never hold does.
/// - Parameters:
///   - what: the condition in words, for the error message.
///   - limit: many times as long as the condition usually takes.
package func eventually(
    _ what: String, within limit: Duration = .seconds(240), isolation: isolated (any Actor)? = #isolation,
    _ holds: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !holds() {
        guard .now < end else { throw WaitedInVain(what: what, limit: limit) }
        try await Task.sleep(for: .milliseconds(5))
    }
}

private struct WaitedInVain: Error, CustomStringConvertible {
    let what: String
    let limit: Duration
    var description: String { "waited \(limit) in vain: \(what)" }
}
