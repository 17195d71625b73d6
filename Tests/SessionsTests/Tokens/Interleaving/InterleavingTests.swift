import Foundation
import HandleRules
import NIOConcurrencyHelpers
import TestSupport
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

/// A program with a session, a model of it, and random events that are applied to both.
struct Interleaving {
    enum Event: Sendable {
        case issuer(ScriptedBackend.Event)
        /// A caller got its answer.
        case answered(Result<String, SessionError>)
    }

    /// One start of the program.
    struct Program {
        let inbox = Inbox<Event>()
        let storage: DiskOfProgram
        let backend: ScriptedBackend
        let controller: SessionController
        var subscribers: [NIOLockedValueBox<SessionState?>] = []

        init(_ issuer: ScriptedIssuer, _ disk: SharedDisk, _ clock: ManualClock) {
            storage = DiskOfProgram(disk)
            backend = ScriptedBackend(issuer) { [inbox] in inbox.put(.issuer($0)) }
            controller = SessionController(storage: storage, backend: backend, clock: clock)
        }
    }

    struct Disagreement: Error, CustomStringConvertible {
        let description: String
    }

    var random: SeededGenerator
    let issuer = ScriptedIssuer()
    let disk = SharedDisk()
    let clock = ManualClock()
    var program: Program
    var model = Model()
    /// The events so far, for the report of a disagreement.
    var story: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        program = Program(issuer, disk, clock)
    }

    var faults: SharedDisk.Faults { disk.state.withLockedValue(\.faults) }
    var controller: SessionController { program.controller }

    mutating func run(steps: Int) async throws {
        do {
            for _ in 0..<steps {
                try await step()
                try await compare()
            }
            try await settle()
        } catch {
            throw Disagreement(description: "\(error) after \(story.joined(separator: ", "))")
        }
    }

    private mutating func step() async throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...2: try await signIn(savedOnly: true)
        case 3: try await signIn(savedOnly: false)
        case 4...8: if model.flight == nil { try await ask() } else { await join() }
        case 9...12: try await answerOne()
        case 13: try await signOut()
        case 14: try await restart()
        case 15...16: toggleFault()
        case 17: try await jump()
        default: try await subscribe()
        }
    }
}
