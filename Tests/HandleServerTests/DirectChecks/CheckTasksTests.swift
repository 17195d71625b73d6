import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle
import TestSupport
import Testing

@testable import HandleServer

/// The stop of a service while checks are under way.
@Suite(.timeLimit(.minutes(5))) struct CheckTasksTests {
    @Test func stopWaitsForTheTasks() async throws {
        let (tasks, isDone) = (CheckTasks(), NIOLockedValueBox(false))
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        tasks.run {
            for await _ in gate {}
            isDone.withLockedValue { $0 = true }
        }
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: tasks, successTerminationBehavior: .gracefullyShutdownGroup)], logger: logger)
        )
        let running = Task { try await group.run() }
        await group.triggerGracefulShutdown()
        // A task that begins during the stop is waited for too.
        tasks.run { opened.finish() }
        try await running.value
        let hasWaited = isDone.withLockedValue(\.self)
        #expect(hasWaited)
    }

    @Test func cancellationCancelsTheTasks() async throws {
        let (tasks, ended) = (CheckTasks(), NIOLockedValueBox(0))
        @Sendable func waitForCancellation() async {
            try? await Task.sleep(for: .seconds(600))
            ended.withLockedValue { $0 += 1 }
        }
        tasks.run(waitForCancellation)
        let running = Task { await tasks.run() }
        running.cancel()
        await running.value
        let endedFirst = ended.withLockedValue(\.self)
        #expect(endedFirst == 1)
        tasks.run(waitForCancellation)
        try await eventually("a later task is cancelled too") { ended.withLockedValue(\.self) == 2 }
    }
}
