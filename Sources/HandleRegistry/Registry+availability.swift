public import HandleCore
import HandleText

/// A decision together with what else the person may take.
public struct Availability: Sendable {
    public let decision: Decision
    public let suggestions: [Suggestion]
}

extension Registry {
    /// How many suggestions may be asked for.
    public static let suggestionRange = 0...20
    /// How many are made when nothing else is asked for and the name can't be had.
    public static let usualSuggestions = 5
    /// How many names one call may ask about.
    public static let longestBatch = 1000

    /// Says whether a name can be had, and what else is free.
    /// - Parameters:
    ///   - name: what the person is called, in any script; makes for better suggestions.
    ///   - suggestions: how many; nil for five when the name can't be had and none when it can.
    ///   - seed: the same seed makes the same suggestions in the same registry.
    public func availability(
        of input: String, name: String? = nil, for owner: Owner? = nil, suggestions: Int? = nil,
        seed: UInt64 = .random(in: .min ... .max)
    ) async throws -> Availability {
        let (decision, _) = try await decision(about: input, for: owner, to: .claim)
        let wanted = suggestions ?? (decision.isAvailable ? 0 : Self.usualSuggestions)
        return Availability(
            decision: decision,
            suggestions: try await self.suggestions(for: input, name: name, count: wanted, seed: seed))
    }

    /// Decides about many names with one look-up; the decisions are in the order of the names.
    public func decisions(
        about inputs: [String], to intent: Decision.Intent = .claim
    ) async throws -> [Decision] {
        let readings = inputs.map { Reading(typed: $0) }
        let known = try await knowledge(of: readings.compactMap(\.handle))
        return zip(inputs, readings).map { input, reading in
            Decision.decide(
                input, reading, words: words, reading.handle.flatMap { known[$0] } ?? .nothing, .anyone, intent, policy)
        }
    }

    /// Decides about one name, and says what is known of it.
    public func decision(
        about input: String, for owner: Owner? = nil, to intent: Decision.Intent
    ) async throws -> (decision: Decision, record: Record?) {
        let reading = Reading(typed: input)
        var knowledge = Knowledge()
        if let handle = reading.handle {
            let (records, entries) = try await pool.run(
                pipeline: Lookup(handle: handle), LookupLookalike(key: LookalikeKey(handle)))
            knowledge = Knowledge(record: records.first, lookalike: entries.first)
        }
        let asker = try await asker(owner)
        let decision = Decision.decide(input, reading, words: words, knowledge, asker, intent, policy)
        return (decision, knowledge.record?.isFree == true ? nil : knowledge.record)
    }

    /// Names that are free at this moment and resemble what was wanted.
    public func suggestions(
        for input: String, name: String? = nil, count: Int, seed: UInt64 = .random(in: .min ... .max)
    ) async throws -> [Suggestion] {
        guard count > 0 else { return [] }
        let words = words
        // Whatever is made from a reserved word passes for it: `merry_admin`. Then only the person's name counts.
        let reading = Reading(typed: input)
        let isReserved = reading.letters.flatMap(words.match) != nil
        let wanted = reading.display.map { Array($0.description.utf8) } ?? Transliteration.ascii(input)
        let source = SuggestionSource(
            wanted: isReserved ? [] : wanted, name: name.map(Transliteration.words(of:)) ?? [])
        var found: [Suggestion] = []
        // Most candidates are free; a second round, from another seed, is for names with everything near them taken.
        for round in 0..<Self.suggestionRounds where found.count < count {
            let candidates = source.candidates(limit: Self.candidatesPerRound, seed: seed &+ UInt64(round))
                .filter { !words.reach($0.handle) && !found.contains($0) }
            let known = try await knowledge(of: candidates.map(\.handle))
            found += candidates.filter { isFree($0.handle, known[$0.handle]) }.prefix(count - found.count)
        }
        return found
    }

    private static let suggestionRounds = 2
    /// Enough that twenty are left when most are taken.
    private static let candidatesPerRound = 64

    private func isFree(_ handle: Handle, _ knowledge: Knowledge?) -> Bool {
        guard let knowledge else { return true }
        return knowledge.record?.isFree ?? true
            && knowledge.lookalike?.original(of: handle, under: policy.lookalikes) == nil
    }

    /// What is known of many names, with one round trip; those that nothing is known of are missing.
    private func knowledge(of handles: [Handle]) async throws -> [Handle: Knowledge] {
        guard !handles.isEmpty else { return [:] }
        let (records, entries) = try await pool.run(
            pipeline: LookupMany(handles: handles), LookupLookalikes(keys: handles.map { LookalikeKey($0) }))
        var known: [Handle: Knowledge] = [:]
        for record in records { known[record.handle, default: .nothing].record = record }
        guard !entries.isEmpty else { return known }
        let byKey = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
        for handle in handles {
            if let entry = byKey[LookalikeKey(handle)] { known[handle, default: .nothing].lookalike = entry }
        }
        return known
    }
}
