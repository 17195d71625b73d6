import Foundation
import Testing

@testable import Sessions

@Suite struct InterleavingTests {
    /// Sign-ins, refreshes of every outcome, sign-outs, kills, faults of the store and passing time, in random order.
    /// `HANDLES_TEST_INTERLEAVINGS` sets their count, and `HANDLES_TEST_SEED` repeats a run.
    @Test(.timeLimit(.minutes(10))) func randomInterleavingsAgreeWithTheModel() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["HANDLES_TEST_INTERLEAVINGS"].flatMap { UInt64($0) } ?? 500
        let seed = environment["HANDLES_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1 << 32)
        print("\(count) interleavings from HANDLES_TEST_SEED=\(seed)")
        let workers: UInt64 = 8
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    for index in stride(from: worker, to: count, by: Int(workers)) {
                        var interleaving = Interleaving(seed: seed &+ index)
                        do {
                            try await interleaving.run(steps: 30)
                        } catch {
                            Issue.record("HANDLES_TEST_SEED=\(seed &+ index) HANDLES_TEST_INTERLEAVINGS=1: \(error)")
                            return
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
