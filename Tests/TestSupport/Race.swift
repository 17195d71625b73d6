/// Runs `body` for each of some racers at the same time, and returns the results as they come.
@discardableResult
package func race<Result: Sendable>(
    _ racers: Int, _ body: @escaping @Sendable (_ racer: Int) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: Result.self) { group in
        for racer in 0..<racers { group.addTask { try await body(racer) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

extension Array where Element: Hashable {
    /// How often each element occurs.
    package var counts: [Element: Int] { reduce(into: [:]) { $0[$1, default: 0] += 1 } }
}
