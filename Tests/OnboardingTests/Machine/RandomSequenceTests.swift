import Foundation
import HandleRules
import Onboarding
import Testing

/// The state machine in a random world: the person does anything at any time, requests are lost, and others claim
/// names. `HANDLES_TEST_SEQUENCES` sets the number of sequences, such as 100,000; 10,000 by default.
@Suite struct RandomSequenceTests {
    private static let names = ["janeroe", "JaneRoe", "john_doe", "j", "", "a.b", "Jane2", "\u{212A}elvin", "Kelvin"]

    @Test func machineKeepsItsPromisesAndIsNeverStuck() throws {
        let count = ProcessInfo.processInfo.environment["HANDLES_TEST_SEQUENCES"].flatMap { Int($0) } ?? 10_000
        var ends: [String: Int] = [:]
        for seed in 0..<UInt64(count) {
            var random = SeededGenerator(seed: seed)
            var world = World()
            if Bool.random(using: &random) { world.send(.started) }
            for _ in 0..<Int.random(in: 0...60, using: &random) { step(&world, &random) }
            ends[String("\(world.machine.state)".prefix { $0 != "(" }), default: 0] += 1
            try #require(world.fault == nil, "seed \(seed): \(world.fault ?? "")")
            let steps = finish(&world)
            try #require(world.fault == nil, "seed \(seed), at the end: \(world.fault ?? "")")
            guard case .done = world.machine.state else {
                Issue.record("seed \(seed): stuck in \(world.machine) after \(steps) steps")
                return
            }
        }
        // The sequences reach every state.
        #expect(ends.count == 10 || count < 1000, "\(ends)")
    }

    private func step(_ world: inout World, _ random: inout SeededGenerator) {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        switch Int.random(in: 0..<30, using: &random) {
        // Many steps lead on; otherwise the sequence would not leave the first step.
        case 18...: goOn(&world, name: pick(Self.names + ["other1", "other2"]))
        case 0..<3: world.send(.field(.typed(pick(Self.names))))
        case 3: world.send(.field(.left))
        case 4..<6: world.send(.continued)
        case 6: world.send(.wentBack)
        case 7: world.send(.typedDisplayName(pick(["", "Jane Roe", " ", "J"])))
        case 8..<10: world.submit()
        case 10: world.send(.started)
        case 11: world.snatch(pick(Self.names).lowercased())
        case 12: world.endHold()
        case 13 where Int.random(in: 0..<10, using: &random) == 0: world.restart(arrives: Bool.random(using: &random))
        default:
            // Most requests are answered.
            let fate = Int.random(in: 0..<3, using: &random) > 0 ? World.Fate.answered : pick(World.Fate.allCases)
            world.deliver(pick(World.Kind.allCases), fate)
        }
    }

    /// From here on every request is answered, and the person does what the form asks for.
    private func finish(_ world: inout World) -> Int {
        for steps in 0..<60 {
            if case .done = world.machine.state { return steps }
            if world.requests.isEmpty {
                goOn(&world, name: "fresh_name\(steps)")
            } else {
                for kind in World.Kind.allCases { world.deliver(kind, .answered) }
            }
        }
        return 60
    }

    /// The person does what the form asks for.
    private func goOn(_ world: inout World, name: String) {
        if world.machine.failure == .signedOut { return world.send(.started) }
        switch world.machine.state {
        case .empty, .malformed, .unavailable: world.send(.field(.typed(name)))
        case .checking, .available, .unknown: world.send(.continued)
        case .held: world.send(.typedDisplayName("Jane Roe"))
        case .displayName: world.submit()
        case .claimed:
            if DisplayName.fault(in: world.machine.displayName) != nil { world.send(.typedDisplayName("Jane Roe")) }
            world.submit()
        case .done: break
        }
    }
}
