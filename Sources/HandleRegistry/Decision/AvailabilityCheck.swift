import HandleRules
import HandleWords
import Postgres

/// The steps of a check, in turn: it names handles to look up, and takes what was found. So checks can share look-ups.
struct AvailabilityCheck: Sendable {
    let reading: Reading
    private let question: NameQuestion
    private let word: ReservedWord?
    /// Whether the handle is probably in use.
    private let hint: Bool
    private var search: SuggestionSearch?
    private var decision: Decision?
    private var asOf: ContinuousClock.Instant?

    /// - Throws: ``PostgresError`` if the reserved words are too old.
    init(_ question: NameQuestion, in registry: Registry) throws(PostgresError) {
        self.question = question
        reading = Reading(typed: question.input)
        word = reading.word(in: try registry.writes.confirmedWords())
        hint = reading.handle.map(registry.hints.mayBeInUse) ?? false
        // A handle that is probably refused is looked up together with candidates.
        let isProbablyRefused = hint || word != nil || reading.handle == nil
        search = try newSearch(
            question.suggestions ?? (isProbablyRefused ? Registry.usualSuggestions : 0), in: registry)
    }

    private func newSearch(_ count: Int, in registry: Registry) throws(PostgresError) -> SuggestionSearch? {
        guard count > 0 else { return nil }
        return try SuggestionSearch(
            for: question.input, name: question.name, count: count, session: question.session, in: registry)
    }

    /// The handles to look up next: before the decision the one that was asked for, and candidates.
    mutating func next() -> [Handle] {
        let candidates = search?.next() ?? []
        guard decision == nil, let handle = reading.handle else { return candidates }
        return [handle] + candidates
    }

    /// Takes the result of the first look-up: decides, and counts the decision in the metrics.
    mutating func decide(
        _ result: LookupResult, for caller: Decision.Caller, in registry: Registry
    ) throws(PostgresError) {
        let known = result.known(about: reading)
        let decision = Decision.decide(reading, word: word, known, for: caller, to: .claim, registry.policy)
        (self.decision, asOf) = (decision, result.asOf)
        registry.decisionMetrics.note(decision)
        if let handle = reading.handle {
            registry.hints.note(handle, isInUse: known.name != nil, hint: hint)
        }
        // Another handle would be refused for the same reason.
        if decision.isAvailable ? question.suggestions == nil : decision.isAboutCaller {
            search = nil
        } else if search == nil {
            search = try newSearch(question.suggestions ?? Registry.usualSuggestions, in: registry)
        } else {
            search?.take(result)
        }
    }

    /// Takes the result of a look-up after the decision.
    mutating func take(_ result: LookupResult) { search?.take(result) }

    var isDecided: Bool { decision != nil }

    /// False before the decision, and while more candidates are to be looked up. To be asked after a result was taken.
    var isComplete: Bool { isDecided && search?.isComplete ?? true }

    /// The answer of a complete check.
    var availability: Availability {
        guard let decision else { preconditionFailure("a check is complete after its decision") }
        return Availability(decision: decision, suggestions: search?.suggestions ?? [], asOf: asOf)
    }
}
