/// Waits until something holds: it is looked at again and again. A busy machine may take its time over it, so only what
/// would never come ends the test.
/// - Parameters:
///   - what: what is waited for, for whoever reads that it did not come.
///   - limit: many times as long as it usually takes.
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
