import NIOCore

/// The direct checks that arrive on one event loop while it reads its connections. They are answered together: with one
/// task, few look-ups, and one return to the loop.
final class CheckGathering {
    private let loop: any EventLoop
    private var waiting: [(check: DirectCheck, handler: DirectCheckHandler)] = []

    /// Checks of one task. More of them are prepared on several processors.
    private static let most = 64

    init(on loop: any EventLoop) { self.loop = loop }

    /// Adds a check; `handler` gets the response, later and on the loop.
    func add(_ check: DirectCheck, for handler: DirectCheckHandler, to checks: DirectChecks) {
        waiting.append((check, handler))
        guard waiting.count == 1 else { return }
        // The loop runs this after it has read all connections that have data.
        loop.assumeIsolatedUnsafeUnchecked().execute { self.answer(by: checks) }
    }

    private func answer(by checks: DirectChecks) {
        for start in stride(from: 0, to: waiting.count, by: Self.most) {
            let group = waiting[start..<min(start + Self.most, waiting.count)]
            let handlers = NIOLoopBound(group.map(\.handler), eventLoop: loop)
            checks.tasks.run { [loop, group = group.map(\.check)] in
                await checks.answer(group) { answers in
                    loop.execute {
                        for answer in answers { handlers.value[answer.position].respond(answer.head, answer.body) }
                    }
                }
            }
        }
        waiting.removeAll(keepingCapacity: true)
    }
}
