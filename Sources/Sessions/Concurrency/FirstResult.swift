/// The result of the work or of the alternative, the one that ends first. The other one is cancelled and not waited for.
/// - Returns: nil when the caller was cancelled before.
func firstResult<Value: Sendable>(
    of work: @escaping @Sendable () async -> Value, orOf alternative: @escaping @Sendable () async -> Value
) async -> Value? {
    let (results, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
    let tasks = [work, alternative].map { part in Task { continuation.yield(await part()) } }
    defer { for task in tasks { task.cancel() } }
    for await result in results { return result }
    return nil
}
