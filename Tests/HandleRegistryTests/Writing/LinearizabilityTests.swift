import Foundation
import HandleRegistry
import HandleRules
import HandleWords
import NIOConcurrencyHelpers
import Postgres
import TestSupport
import Testing

/// The histories that clients saw, checked for linearizability name by name.
@Suite(.consistent) struct LinearizabilityTests {
    /// The number of operations; `HANDLES_TEST_OPERATIONS` sets another one, for runs longer than a test.
    private static let operations =
        ProcessInfo.processInfo.environment["HANDLES_TEST_OPERATIONS"].flatMap { Int($0) } ?? 6000

    /// Runs clients on few names until `operations` are answered, and returns the history of each name as the clients
    /// saw it.
    /// - Parameter lies: whether an operation is recorded as acknowledged without being done, the fault that the check
    ///   must detect.
    private func histories(
        _ registry: Registry, operations: Int, clients: Int = 16,
        lies: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) async throws -> [History] {
        let names = max(4, operations / 400)
        let histories = NIOLockedValueBox([History](repeating: History(), count: names))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<clients {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(client))
                    var number = 0
                    while number < operations / clients {
                        let index = Int.random(in: 0..<names, using: &random)
                        // Names that don't look alike: a name in quarantine would refuse its look-alikes.
                        let name = try handle(distinctName(index, prefix: "linear").lowercased())
                        // Each owner uses one name, so that limits of owners don't connect the names.
                        let who = "client-\(Int.random(in: 0..<4, using: &random))-\(index)"
                        let kind: History.Operation.Kind =
                            Int.random(in: 0..<4, using: &random) == 0 ? .release : .claim(by: who)
                        let start = ContinuousClock.now
                        let result: History.Operation.Result =
                            if lies(client * operations + number) { .done } else {
                                try await Self.run(kind, name, registry)
                            }
                        let operation = History.Operation(kind, result, from: start, to: .now)
                        histories.withLockedValue { $0[index].append(operation) }
                        // Without an answer, go on after a pause. Only answers count as operations.
                        if result == .unknown {
                            try await Task.sleep(for: .milliseconds(5))
                        } else {
                            number += 1
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        return histories.withLockedValue { $0 }
    }

    private static func run(
        _ kind: History.Operation.Kind, _ name: Handle, _ registry: Registry
    ) async throws -> History.Operation.Result {
        do {
            switch kind {
            case .claim(let id):
                switch try await registry.claim(name.description, for: owner(id)) {
                case .done: return .done
                case .already: return .already
                case .refused: return .refused
                }
            case .release:
                switch try await registry.release(name) {
                case .done: return .done
                case .already: return .already
                case .refused: return .refused
                }
            }
        } catch let error as PostgresError where error.isTransient {
            return .unknown
        }
    }

    @Test func everyHistoryIsLinearizable() async throws {
        let registry = try await freshRegistry()
        let histories = try await histories(registry, operations: Self.operations)
        let faults = histories.compactMap(\.firstFault)
        #expect(faults.isEmpty)
        // An operation can fail because the name changed during each of its attempts; that counts as unanswered.
        let unanswered = histories.map { $0.operations.count { $0.result == .unknown } }.reduce(0, +)
        #expect(unanswered < max(10, Self.operations / 600))
    }

    @Test(.timeLimit(.minutes(10))) func falseAcknowledgementIsDetected() async throws {
        let registry = try await freshRegistry()
        // One operation of each client is acknowledged and not done, as if its commit failed after the acknowledgement.
        let histories = try await histories(registry, operations: 2000) { $0 % 2000 == 60 }
        #expect(histories.contains { !$0.isLinearizable })
    }

    @Test(.timeLimit(.minutes(10))) func everyHistoryIsLinearizableWhileTheConnectionIsCut() async throws {
        let (proxy, registry, _) = try await ChaosProxy.start {
            $0.timeout = .seconds(12)
            ($0.firstRetryDelay, $0.longestRetryDelay) = (.milliseconds(1), .milliseconds(4))
        }
        let chaos = proxy.makeTrouble(pause: .milliseconds(TestCluster.shared.isDistributed ? 1500 : 40))
        let histories = try await histories(registry, operations: 2000)
        chaos.cancel()
        await chaos.value
        #expect(proxy.commitsLost > 0)
        let faults = histories.compactMap(\.firstFault)
        #expect(faults.isEmpty)
    }

    @Test(.timeLimit(.minutes(10))) func checkerAcceptsPossibleAndRejectsImpossibleHistories() {
        let start = ContinuousClock.now
        func operation(
            _ kind: History.Operation.Kind, _ result: History.Operation.Result, _ from: Int, _ to: Int
        ) -> History.Operation {
            .init(kind, result, from: start + .seconds(from), to: start + .seconds(to))
        }
        let claimA = History.Operation.Kind.claim(by: "a")
        let claimB = History.Operation.Kind.claim(by: "b")
        #expect(History([operation(claimA, .done, 0, 1), operation(claimB, .refused, 2, 3)]).isLinearizable)
        #expect(History([operation(claimA, .done, 0, 9), operation(claimB, .refused, 2, 3)]).isLinearizable)
        #expect(!History([operation(claimA, .done, 4, 9), operation(claimB, .refused, 2, 3)]).isLinearizable)
        #expect(!History([operation(claimA, .done, 0, 3), operation(claimB, .done, 2, 5)]).isLinearizable)
        #expect(History([operation(claimA, .unknown, 0, 1), operation(claimB, .refused, 8, 9)]).isLinearizable)
        #expect(History([operation(claimA, .unknown, 0, 1), operation(claimB, .done, 8, 9)]).isLinearizable)
        #expect(
            !History([
                operation(claimA, .done, 0, 1), operation(.release, .done, 2, 3), operation(claimB, .done, 4, 5),
            ]).isLinearizable)
    }

    /// The check once took hours when many answers were lost.
    @Test(.timeLimit(.minutes(10))) func checkerEndsWhenManyAnswersAreLost() {
        let start = ContinuousClock.now
        for isPossible in [true, false] {
            var operations: [History.Operation] = []
            for number in 0..<100 {
                let (from, to) = (start + .seconds(number), start + .seconds(number + 8))
                operations.append(.init(.claim(by: "\(number % 4)"), .unknown, from: from, to: to))
                operations.append(.init(.release, .unknown, from: from, to: to))
                operations.append(.init(.claim(by: "\(number % 3)"), .refused, from: from, to: to))
            }
            // No operation claims the name for this owner, so the history is impossible.
            if !isPossible {
                operations.append(
                    .init(.claim(by: "x"), .already, from: start + .seconds(210), to: start + .seconds(211)))
            }
            #expect(History(operations).isLinearizable == isPossible)
        }
    }

    @Test(.timeLimit(.minutes(10))) func checkerAgreesWithTryingEveryOrder() {
        var random = SeededGenerator(seed: 7)
        let start = ContinuousClock.now
        var possible = 0
        for _ in 0..<3000 {
            let operations = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                let kinds: [History.Operation.Kind] = [.claim(by: "a"), .claim(by: "b"), .release]
                let results: [History.Operation.Result] = [.done, .already, .refused, .unknown]
                let from = Int.random(in: 0..<8, using: &random)
                return History.Operation(
                    kinds.randomElement(using: &random)!, results.randomElement(using: &random)!,
                    from: start + .seconds(from), to: start + .seconds(from + Int.random(in: 1..<6, using: &random)))
            }
            let history = History(operations)
            #expect(history.isLinearizable == history.hasAnOrder, "\(operations)")
            possible += history.isLinearizable ? 1 : 0
        }
        #expect((300..<2700).contains(possible))
    }
}
