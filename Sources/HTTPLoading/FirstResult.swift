/// The result of the work or of the alternative, whichever ends first. The other one is cancelled but not awaited.
/// - Returns: nil when the caller was cancelled before either ended.
package func firstResult<Value: Sendable>(
    of work: @escaping @Sendable () async -> Value, orOf alternative: (@Sendable () async -> Value)? = nil
) async -> Value? {
    let (results, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
    let tasks = [work, alternative].compactMap(\.self).map { part in Task { continuation.yield(await part()) } }
    defer { for task in tasks { task.cancel() } }
    for await result in results { return result }
    return nil
}
