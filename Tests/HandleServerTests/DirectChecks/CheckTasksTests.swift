import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle
import TestSupport
import Testing

@testable import HandleServer

/// The stop of a service while checks are under way.
@Suite(.timeLimit(.minutes(5))) struct CheckTasksTests {
    /// Tells that a group of services runs.
    private struct Herald: Service {
        let started: AsyncStream<Void>.Continuation

        func run() async throws {
            started.finish()
            try await gracefulShutdown()
        }
    }

    @Test func stopWaitsForTheTasks() async throws {
        let (tasks, log) = (CheckTasks(), NIOLockedValueBox<[String]>([]))
        @Sendable func note(_ line: String) { log.withLockedValue { $0.append(line) } }
        let (first, openFirst) = AsyncStream.makeStream(of: Void.self)
        let (second, openSecond) = AsyncStream.makeStream(of: Void.self)
        let (start, started) = AsyncStream.makeStream(of: Void.self)
        tasks.run {
            for await _ in first {}
            // A task that begins during the stop is waited for too.
            tasks.run {
                for await _ in second {}
                note("second")
            }
            note("first")
        }
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: tasks, successTerminationBehavior: .ignore),
                    .init(service: Herald(started: started), successTerminationBehavior: .ignore),
                ], logger: logger))
        let running = Task {
            try await group.run()
            note("stopped")
        }
        for await _ in start {}
        await group.triggerGracefulShutdown()
        openFirst.finish()
        try await eventually("the first task has ended") { log.withLockedValue { $0.contains("first") } }
        openSecond.finish()
        try await running.value
        let lines = log.withLockedValue(\.self)
        #expect(lines == ["first", "second", "stopped"])
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
