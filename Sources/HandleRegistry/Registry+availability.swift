package import HandleCore
import HandleText
import Postgres

/// A decision together with what else the person may take.
package struct Availability: Sendable {
    package let decision: Decision
    package let suggestions: [Suggestion]
    /// Since when there may be changes that the decision does not know of, as a replica was asked; else nil.
    package let asOf: ContinuousClock.Instant?
}

extension Registry {
    /// How many suggestions may be asked for.
    package static let suggestionRange = 0...20
    /// How many are made when nothing else is asked for and the name can't be had.
    package static let usualSuggestions = 5
    /// How many names one call may ask about.
    package static let longestBatch = 1000

    /// Says whether a name can be had, and what else is free.
    /// - Parameters:
    ///   - name: what the person is called, in any script; makes for better suggestions.
    ///   - suggestions: how many; nil for five when the name can't be had and none when it can.
    ///   - session: whatever tells this person from others: they are shown the same names again.
    package func availability(
        of input: String, name: String? = nil, for owner: Owner? = nil, suggestions: Int? = nil, session: String? = nil
    ) async throws -> Availability {
        let reading = Reading(typed: input)
        let asker = try await asker(owner)
        let findings = try await findings(about: reading)
        let decision = try await decide(input, reading, findings, asker, .claim)
        decisionFigures.note(decision)
        let wanted = suggestions ?? (decision.isAvailable ? 0 : Self.usualSuggestions)
        guard wanted > 0 else { return Availability(decision: decision, suggestions: [], asOf: findings.asOf) }
        return Availability(
            decision: decision,
            suggestions: try await self.suggestions(for: input, name: name, count: wanted, session: session),
            asOf: findings.asOf)
    }

    /// Decides about many names with one look-up, as batch validation does; the decisions are in the order of the names.
    /// - Parameter owner: whom they would be for, if that is known.
    package func decisions(about inputs: [String], for owner: Owner? = nil) async throws -> [Decision] {
        try await datedDecisions(about: inputs, for: owner).decisions
    }

    /// The same, and since when there may be changes that they do not know of; nil when no replica was asked.
    package func datedDecisions(
        about inputs: [String], for owner: Owner?
    ) async throws -> (decisions: [Decision], asOf: ContinuousClock.Instant?) {
        let words = try confirmedWords()
        let asker = try await asker(owner)
        let readings = inputs.map { Reading(typed: $0) }
        let places = words.find(all: readings.map { $0.letters ?? PackedASCII() })
        let findings = try await lookups.findings(about: readings.compactMap(\.handle))
        var decisions: [Decision] = []
        decisions.reserveCapacity(inputs.count)
        for index in inputs.indices {
            let knowledge = try await knowledge(of: readings[index], findings, asker)
            decisions.append(
                Decision(
                    inputs[index],
                    Verdict.decide(
                        readings[index], word: places[index].map { words[$0] }, knowledge, asker, .claim, policy)))
        }
        decisionFigures.note(decisions)
        return (decisions, findings.asOf)
    }

    func decide(
        _ input: String, _ reading: Reading, _ findings: Findings, _ asker: Asker, _ intent: Decision.Intent
    ) async throws -> Decision {
        let knowledge = try await knowledge(of: reading, findings, asker)
        return Decision.decide(input, reading, words: try confirmedWords(), knowledge, asker, intent, policy)
    }

    /// What is found about a name, and about the asker where that makes a difference.
    func knowledge(of reading: Reading, _ findings: Findings, _ asker: Asker) async throws -> Knowledge {
        guard let handle = reading.handle else { return .nothing }
        var knowledge = findings.knowledge(of: handle)
        // Seldom: what it looks like may be kept for the asker.
        if let mark = asker.mark, knowledge.lookalike?.original(of: handle, under: policy.lookalikes) != nil {
            knowledge.own = try await pool.run(LookupNotes(marks: [mark])).first?.kept ?? []
        }
        return knowledge
    }

    private func findings(about reading: Reading) async throws -> Findings {
        try await lookups.findings(about: reading.handle.map { [$0] } ?? [])
    }

    /// Names that are free at this moment and resemble what was wanted, found with one look-up or, when most of what is
    /// near the name is taken, with two.
    ///
    /// People who ask at the same time are shown different names.
    /// - Parameters:
    ///   - session: whatever tells this person from others: they are shown the same names again.
    ///   - seed: the same seed makes the same suggestions in the same registry, whoever asks.
    package func suggestions(
        for input: String, name: String? = nil, count: Int, session: String? = nil, seed: UInt64? = nil
    ) async throws -> [Suggestion] {
        guard count > 0 else { return [] }
        let words = try confirmedWords()
        let source = SuggestionSource(typed: input, name: name, words: words)
        let asker = session.map { SeededGenerator.seed(from: $0.utf8) }
        let chosen = seed ?? asker ?? .random(in: .min ... .max)

        var found: [Suggestion] = []
        var spare: [Suggestion] = []
        for isNear in [true, false] where found.count < count {
            let candidates =
                isNear
                ? source.candidates(limit: Self.candidates(for: count), seed: chosen)
                : source.fartherCandidates(limit: Self.fartherCandidates, seed: chosen)
            let fresh = candidates.filter { !words.reach($0.handle) }
            let findings = try await lookups.findings(about: fresh.map(\.handle))
            let free = fresh.filter { isFree($0.handle, findings) }
            let offered = seed == nil ? recentOffers.take(count - found.count, of: free, for: asker) : free
            found += offered.prefix(count - found.count)
            spare += free
        }
        // Rather what somebody else is looking at than nothing.
        for suggestion in spare where found.count < count && !found.contains(suggestion) { found.append(suggestion) }
        return found
    }

    /// How many candidates to look up for so many suggestions: a few more, as most are free and each costs the database
    /// a step.
    private static func candidates(for count: Int) -> Int { count + 2 + count / 8 }
    /// How many when that was not enough: those come from a space so large that few of them are taken.
    private static let fartherCandidates = 64

    private func isFree(_ handle: Handle, _ findings: Findings) -> Bool {
        let knowledge = findings.knowledge(of: handle)
        return knowledge.standing == nil && knowledge.lookalike?.original(of: handle, under: policy.lookalikes) == nil
    }
}
