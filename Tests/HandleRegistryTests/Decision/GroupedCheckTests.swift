import HandleRules
import NIOConcurrencyHelpers
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

/// Questions that are answered together.
@Suite struct GroupedCheckTests {
    private typealias Outcome = Result<Availability, any Error>

    /// The answers in the order of the questions.
    private func answers(_ registry: Registry, _ questions: [NameQuestion]) async throws -> [Outcome] {
        let all = NIOLockedValueBox<[Registry.CheckAnswer]>([])
        await registry.availability(of: questions) { answers in all.withLockedValue { $0 += answers } }
        let sorted = all.withLockedValue(\.self).sorted { $0.position < $1.position }
        #expect(sorted.map(\.position) == Array(questions.indices), "each question has one answer")
        return sorted.map(\.result)
    }

    @Test(arguments: [0, 1 << 20]) func groupGetsTheAnswersOfSingleChecks(_ hintsBytes: Int) async throws {
        let registry = try await freshRegistry(hintsBytes: hintsBytes)
        _ = try await registry.claim("JohnDoe", for: owner("one"))
        _ = try await registry.hold("held_one", for: owner("one"))
        _ = try await registry.reserve("acme", Reservation(reason: "ours"))
        try await registry.fillHints()
        let inputs = [
            "johndoe", "held_one", "acme", "acrne", "olga", "Olga P", "admin", "a!", "", "johndoe", "zebra_1",
        ]
        for suggestions in [nil, 0, 3] {
            let together = try await answers(registry, inputs.map { NameQuestion($0, suggestions: suggestions) })
            for (input, answer) in zip(inputs, together) {
                let (grouped, single) = (
                    try answer.get(), try await registry.availability(of: input, suggestions: suggestions)
                )
                #expect(grouped.decision.reasons.map(\.code) == single.decision.reasons.map(\.code), "\(input)")
                #expect(grouped.suggestions.count == single.suggestions.count, "\(input)")
                #expect(grouped.asOf == nil)
            }
        }
    }

    @Test(arguments: [(50, 1), (200, 4)]) func groupTakesOneLookupForFiftyNames(_ count: Int, _ lookups: Int)
        async throws
    {
        let registry = try await freshRegistry()
        let found = try await answers(registry, (0..<count).map { NameQuestion("zebra_\($0)") })
        #expect(found.allSatisfy { (try? $0.get().decision.isAvailable) ?? false })
        let metrics = registry.lookups.metrics
        #expect(metrics.batches == lookups && metrics.callers == count && metrics.weight == count)
        #expect(registry.decisionMetrics.available == count)
    }

    /// Without hints, suggestions are looked up after the decision: those of ten names together.
    @Test func suggestionsOfAGroupAreLookedUpTogether() async throws {
        let registry = try await freshRegistry()
        for number in 0..<10 { _ = try await registry.claim("johndoe_\(number)", for: owner("one")) }
        let found = try await answers(registry, (0..<10).map { NameQuestion("johndoe_\($0)") })
        for answer in found {
            let availability = try answer.get()
            #expect(!availability.decision.isAvailable && availability.suggestions.count == 5)
        }
        // Each has seven candidates, so they fit in two look-ups; a few of them may be offered twice.
        #expect(registry.lookups.metrics.batches < 10)
    }

    @Test func emptyGroupHasNoAnswers() async throws {
        let registry = try Registry(pool: Pool(.init(conninfo: "host=/nonexistent")))
        #expect(try await answers(registry, []).isEmpty)
    }

    /// A name that breaks a rule is refused without the database, so the others' fault is not its own.
    @Test func groupFailsOnlyWhereItNeedsTheDatabase() async throws {
        let registry = try Registry(pool: Pool(.init(conninfo: "host=/nonexistent")))
        let questions = ["olga", "a!", "johndoe"].map { NameQuestion($0, suggestions: 0) }
        let found = try await answers(registry, questions)
        #expect(throws: PostgresError.self) { try found[0].get() }
        #expect(try found[1].get().decision.reasons.isEmpty == false)
        #expect(throws: PostgresError.self) { try found[2].get() }
    }

    @Test func groupFailsWhileTheReservedWordsAreTooOld() async throws {
        let registry = try Registry(
            pool: Pool(.init(conninfo: "host=/nonexistent")), longestUnconfirmed: .seconds(30))
        for answer in try await answers(registry, ["olga", "a!"].map { NameQuestion($0, suggestions: 0) }) {
            #expect(throws: PostgresError.self) { try answer.get() }
        }
    }

    @Test func cancelledGroupStillAnswersEachQuestion() async throws {
        let registry = try await freshRegistry()
        let task = Task { try await answers(registry, (0..<200).map { NameQuestion("zebra_\($0)") }) }
        task.cancel()
        for answer in try await task.value {
            if case .failure(let error) = answer { #expect(error is CancellationError) }
        }
    }
}
