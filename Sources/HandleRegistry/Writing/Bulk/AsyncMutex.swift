import NIOConcurrencyHelpers

/// Lets one caller work at a time, in the order in which they come.
final class AsyncMutex: Sendable {
    private struct Line {
        var isTaken = false
        var waiting = [CheckedContinuation<Void, Never>]()
    }

    private let line = NIOLockedValueBox(Line())

    /// The number of callers that wait.
    var waiting: Int { line.withLockedValue(\.waiting.count) }

    /// Calls `body` once the callers before have ended theirs. A cancelled task waits too.
    func wait<Result>(
        isolation: isolated (any Actor)? = #isolation, for body: () async throws -> Result
    ) async rethrows -> Result {
        await withCheckedContinuation { caller in
            let isNext = line.withLockedValue { line in
                guard line.isTaken else {
                    line.isTaken = true
                    return true
                }
                line.waiting.append(caller)
                return false
            }
            if isNext { caller.resume() }
        }
        defer {
            line.withLockedValue { line in
                line.isTaken = !line.waiting.isEmpty
                return line.isTaken ? line.waiting.removeFirst() : nil
            }?.resume()
        }
        return try await body()
    }
}
