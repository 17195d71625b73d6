/// Runs the requests of one person one after another. Otherwise two tabs could finish two sign-ups.
actor Turns {
    private var last: [String: Task<Void, Never>] = [:]

    /// Runs `work` after earlier work for the same person. It continues if the browser disconnects, so that a claim is
    /// completed.
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
