import HandleRegistry
import HandleRules
import NameFiles
import Postgres

/// Applies changes of the reserved words. First it shows the names in use and the common names of people for which they
/// make a difference. If names would be newly refused, it asks for a confirmation.
struct WordReview {
    let registry: Registry
    /// Whether to show the preview only.
    let isDryRun: Bool
    /// Whether `--yes` was given.
    let isConfirmed: Bool

    /// Makes the changes that have an effect.
    /// - Parameter changes: the changes, made with the words in force, each for a different word.
    /// - Returns: each change with its effect, also in a dry run.
    /// - Throws: ``CommandFault`` when the changes are not confirmed; nothing has changed then.
    func put(
        _ changes: (WordsInForce) -> [WordChange]
    ) async throws -> [(change: WordChange, effect: WordEffect)] {
        var earlier: [PackedASCII: WordEffect] = [:]
        for _ in 0..<Self.mostAttempts {
            let words = try await registry.wordsInForce()
            let effects = changes(words).map { (change: $0, effect: words.effect(of: $0)) }
            do {
                try await put(effects.filter(\.effect.isNew).map(\.change), words)
                // An earlier attempt may have made a part of the changes.
                return effects.map { ($0.change, $0.effect == .same ? earlier[$0.change.word] ?? .same : $0.effect) }
            } catch let error as PostgresError where error.isOfChangedWords {
                for (change, effect) in effects where effect.isNew { earlier[change.word] = effect }
                Output.note("the words were changed meanwhile; these changes are compared with them again")
            }
        }
        throw CommandFault(.unavailable, "the words are changed all the time; try again later")
    }

    /// The words may change between the read and the writing, for example while the question waits for an answer.
    private static let mostAttempts = 8

    /// - Throws: `PostgresError` with `isOfChangedWords` if the words are no longer these.
    private func put(_ news: [WordChange], _ words: WordsInForce) async throws {
        let preview = try await registry.preview(of: news, to: words)
        let text = preview.text
        if !text.isEmpty { Output.note(text) }
        for category in Set(news.filter(words.isOff).map(\.category)).sorted() {
            Output.note("HANDLES_WORDS_OFF has \(category.printable), so its words have no effect here")
        }
        if isDryRun { return }
        if preview.refusesNames {
            try await Confirmation(isGiven: isConfirmed).ask(
                "Make \(news.count == 1 ? "this change" : "these \(news.count.grouped) changes") anyway?",
                "names would be newly refused")
        }
        try await registry.putWords(news, from: words.version)
    }
}

extension WordEffect {
    /// True if the change can't be made.
    var isRefused: Bool {
        switch self {
        case .locked, .reserved, .takenOff, .imitates, .builtInInnocent, .unknown: true
        case .added, .changed, .removed, .same: false
        }
    }

    /// The effect in words.
    func sentence(isDryRun: Bool) -> String {
        switch self {
        case .added: isDryRun ? "would be added" : "added"
        case .changed: isDryRun ? "would be changed" : "changed"
        case .removed: isDryRun ? "would be removed" : "removed"
        case .same: "same"
        case .locked(let word): "locked: '\(word.word)' is of the core list (\(word.category)) and stays as it is"
        case .reserved(let word):
            "reserved: '\(word.word)' is a word itself (\(word.category)), so it can't be innocent"
        case .takenOff(let word):
            "built in: '\(word.word)' (\(word.category)) was taken off, and would be a word again as an innocent name"
        case .imitates(let word):
            "locked: it imitates '\(word.word)' of the core list (\(word.category)); handles reserve can keep it for an owner"
        case .builtInInnocent: "built in: an innocent name stays; words add can make it a word"
        case .unknown: "no such reserved word"
        }
    }
}

extension WordPreview {
    /// Empty if the changes make no difference to any name.
    fileprivate var text: String {
        let owned = namesInUse.refused.first.compactMap { name, word in
            records[name].map { record in
                let owner = record.owner.map { " by \($0.id.printable)" } ?? ""
                return "\(record.display.description.padded(to: 16)) \(record.state.rawValue)\(owner) (\(word.word))"
            }
        }
        let (use, people) = (["name in use", "names in use"], ["common name of people", "common names of people"])
        return [
            namesInUse.refused.lines(use, "be newly refused; owners keep their names", owned),
            namesInUse.free.lines(use, "no longer be refused"), commonNames.refused.lines(people, "be newly refused"),
            commonNames.free.lines(people, "no longer be refused"),
        ].joined().joined(separator: "\n")
    }
}

extension WordPreview.Names {
    /// - Parameters:
    ///   - nouns: for one name, and for several.
    ///   - examples: in place of the names and their words.
    fileprivate func lines(_ nouns: [String], _ fate: String, _ examples: [String]? = nil) -> [String] {
        if count == 0 { return [] }
        let examples = examples ?? first.map { "\($0.description.padded(to: 16)) (\($1.word))" }
        return ["\(count.grouped) \(nouns[count == 1 ? 0 : 1]) would \(fate):"] + examples.map { "  " + $0 }
            + (count > examples.count ? ["  …"] : [])
    }
}
