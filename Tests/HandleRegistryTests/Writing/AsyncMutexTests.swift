import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import HandleRegistry

@Suite struct AsyncMutexTests {
    @Test(.timeLimit(.minutes(5))) func callersWorkOneByOneInTheOrderInWhichTheyCame() async throws {
        let turns = AsyncMutex()
        let log = NIOLockedValueBox<[String]>([])
        let (gate, opener) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup { group in
            for caller in 0..<4 {
                group.addTask {
                    await turns.wait {
                        log.withLockedValue { $0.append("begin \(caller)") }
                        if caller == 0 { for await _ in gate { break } }
                        log.withLockedValue { $0.append("end \(caller)") }
                    }
                }
                // The next caller comes once this one works or waits.
                try await eventually("caller \(caller) has come") {
                    caller == 0 ? log.withLockedValue { !$0.isEmpty } : turns.waiting == caller
                }
            }
            #expect(log.withLockedValue(\.self) == ["begin 0"])
            opener.yield()
            try await group.waitForAll()
        }
        #expect(log.withLockedValue(\.self) == (0..<4).flatMap { ["begin \($0)", "end \($0)"] })
    }

    @Test(.timeLimit(.minutes(5))) func errorOfACallerEndsItsTurn() async throws {
        struct Fault: Error {}
        let turns = AsyncMutex()
        await #expect(throws: Fault.self) { try await turns.wait { throw Fault() } }
        #expect(await turns.wait { 7 } == 7)
    }
}
