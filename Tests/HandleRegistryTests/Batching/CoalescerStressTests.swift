import HandleRules
import HandleWords
import NIOConcurrencyHelpers
import Testing

@testable import HandleRegistry

@Suite struct CoalescerStressTests {
    private struct Request: Sendable {
        let number: Int
        let keys: [Int]
        let needsToBeAlone: Bool
    }

    /// The requests under way, and what was wrong.
    private final class Watch: Sendable {
        private struct State {
            var keys: Set<Int> = []
            var performed: [Int: Int] = [:]
            var faults: [String] = []
        }

        private let state = NIOLockedValueBox(State())

        var faults: [String] { state.withLockedValue(\.faults) }
        var performed: [Int: Int] { state.withLockedValue(\.performed) }

        func begin(_ batch: [Request]) {
            state.withLockedValue { state in
                for key in batch.flatMap(\.keys) where !state.keys.insert(key).inserted {
                    state.faults.append("key \(key) is under way twice")
                }
            }
        }

        func end(_ batch: [Request], answered: [Request]) {
            state.withLockedValue { state in
                state.keys.subtract(batch.flatMap(\.keys))
                for request in answered { state.performed[request.number, default: 0] += 1 }
            }
        }
    }

    /// Thousands of callers, some of which leave: each gets exactly one answer, its own, and no two requests with a
    /// common key are under way together.
    @Test(.timeLimit(.minutes(5))) func everyCallerGetsItsOwnAnswerOnce() async throws {
        let watch = Watch()
        var limits = CoalescerLimits(batches: 3, batchWeight: 16, waitingWeight: 100_000)
        (limits.weightForAnotherBatch, limits.patience, limits.alone) = (4, .milliseconds(5), 2)
        let coalescer = Coalescer<Request, Int, Int, ContinuousClock>(
            of: "requests", limits, clock: ContinuousClock(), keys: \.keys
        ) { batch in
            watch.begin(batch.requests)
            await Task.yield()
            let areAlone = batch.requests.map { $0.needsToBeAlone && !batch.isAlone }
            watch.end(batch.requests, answered: zip(batch.requests, areAlone).filter { !$1 }.map(\.0))
            return zip(batch.requests, areAlone).map { $1 ? .alone : .response($0.number) }
        }
        var generator = SeededGenerator(seed: 7)
        let requests = (0..<4000).map { number in
            Request(
                number: number, keys: Array(Set((0..<2).map { _ in Int.random(in: 0..<40, using: &generator) })),
                needsToBeAlone: number % 9 == 0)
        }
        let answers = await withTaskGroup(of: (Int, Int?).self) { group in
            for request in requests {
                group.addTask {
                    let task = Task {
                        try await coalescer.perform(request, until: .now + .seconds(200))
                    }
                    if request.number % 7 == 0 { task.cancel() }
                    return (request.number, try? await task.value)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for request in requests where request.number % 7 != 0 {
            #expect(answers[request.number] == request.number)
            #expect(watch.performed[request.number] == 1)
        }
        #expect(answers.allSatisfy { $0.value == $0.key })
        #expect(watch.performed.values.allSatisfy { $0 == 1 })
        #expect(watch.faults.isEmpty)
        #expect(coalescer.metrics.waiting == 0)
        #expect(coalescer.metrics.waitingWeight == 0)
    }
}
