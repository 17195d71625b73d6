/// Lets requests of one person go one after the other: two tabs would otherwise finish two sign-ups.
actor Turns {
    private var last: [String: Task<Void, Never>] = [:]

    /// Runs `work` after the work before it for the same person. It goes on when the browser has gone, as a claim should.
    func run<Value: Sendable>(
        for owner: String, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let before = last[owner]
        let task = Task {
            await before?.value
            return try await work()
        }
        let end = Task { _ = await task.result }
        last[owner] = end
        let result = await task.result
        if last[owner] == end { last[owner] = nil }
        return try result.get()
    }
}
