package import HandleRules
import HandleWords
import Postgres

/// A decision, with suggestions of free handles.
package struct Availability: Sendable {
    package let decision: Decision
    package let suggestions: [Suggestion]
    /// Changes after this moment may be missing, because a replica answered; nil if the primary did.
    package let asOf: ContinuousClock.Instant?
}

extension Registry {
    /// Permitted numbers of suggestions.
    package static let suggestionRange = 0...20
    /// Default number of suggestions for a handle that is refused.
    package static let usualSuggestions = 5
    /// Inputs in one call.
    package static let longestBatch = 1000

    /// Decides whether a handle can be had, and suggests others.
    /// - Parameters:
    ///   - name: the person's name, in any script, for better suggestions.
    ///   - suggestions: the number wanted; nil for ``usualSuggestions`` if the handle is refused, and none if not.
    ///   - session: any text that identifies the person. The same session gets the same suggestions again.
    package func availability(
        of input: String, name: String? = nil, for owner: Owner? = nil, suggestions: Int? = nil, session: String? = nil
    ) async throws -> Availability {
        try await availability(
            of: NameQuestion(input, name: name, suggestions: suggestions, session: session), for: owner)
    }

    /// The same, for a question.
    package func availability(of question: NameQuestion, for owner: Owner?) async throws -> Availability {
        var check = try AvailabilityCheck(question, in: self)
        let caller = try await caller(owner)
        let result = try await lookups.lookUp(check.next())
        try check.decide(result, for: caller, in: self)
        while !check.isComplete { check.take(try await lookups.lookUp(check.next())) }
        return check.availability
    }

    /// Decides about many inputs with one look-up, as batch validation does. The decisions are in the order of
    /// `inputs`.
    /// - Parameter owner: the owner that the handles would be for, if known.
    package func decisions(about inputs: [String], for owner: Owner? = nil) async throws -> [Decision] {
        try await datedDecisions(about: inputs, for: owner).decisions
    }

    /// The same, with the moment after which changes may be missing; nil if the primary answered.
    package func datedDecisions(
        about inputs: [String], for owner: Owner?
    ) async throws -> (decisions: [Decision], asOf: ContinuousClock.Instant?) {
        let words = try writes.confirmedWords()
        let caller = try await caller(owner)
        let readings = inputs.map { Reading(typed: $0) }
        let result = try await lookups.lookUp(readings.compactMap(\.handle))
        var decisions: [Decision] = []
        decisions.reserveCapacity(inputs.count)
        for reading in readings {
            decisions.append(
                .decide(
                    reading, word: reading.word(in: words), result.known(about: reading), for: caller, to: .claim,
                    policy))
        }
        decisionMetrics.note(decisions)
        return (decisions, result.asOf)
    }

    /// Free handles that resemble `input`.
    ///
    /// Callers that ask at the same time get different suggestions.
    /// - Parameters:
    ///   - session: any text that identifies the person. The same session gets the same suggestions again.
    ///   - seed: the same seed gives the same suggestions in the same registry, to every caller.
    package func suggestions(
        for input: String, name: String? = nil, count: Int, session: String? = nil, seed: UInt64? = nil
    ) async throws -> [Suggestion] {
        guard count > 0 else { return [] }
        var search = try SuggestionSearch(
            for: input, name: name, count: count, session: session, seed: seed, in: self)
        while let handles = search.next() { search.take(try await lookups.lookUp(handles)) }
        return search.suggestions
    }
}
