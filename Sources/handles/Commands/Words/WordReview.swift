import HandleCore
import HandleRegistry

/// Applies changes of the reserved words. First it shows which existing names and common names of people would match;
/// if there are any, it asks for a confirmation.
struct WordReview {
    let registry: Registry
    /// Whether to show the preview only.
    let isDryRun: Bool
    /// Whether `--yes` was given.
    let isConfirmed: Bool

    /// Makes the changes that have an effect.
    /// - Parameter changes: each for a different word.
    /// - Returns: the effect of each change, also in a dry run.
    /// - Throws: ``CommandFault`` when the changes are not confirmed; nothing has changed then.
    func put(_ changes: [WordChange]) async throws -> [WordEffect] {
        let effects = try await registry.effects(of: changes)
        let news = zip(changes, effects).compactMap { $1 == .added || $1 == .changed ? $0 : nil }
        let preview = try await registry.preview(of: news.compactMap(\.reservedWord))
        if !preview.isEmpty { Output.note(preview.text) }
        if isDryRun { return effects }
        if !preview.isEmpty {
            try await Confirmation(isGiven: isConfirmed).ask(
                "Reserve \(news.count == 1 ? "this word" : "these \(news.count.grouped) words") anyway?",
                "the words match existing names")
        }
        try await registry.putWords(news)
        return effects
    }
}

extension WordEffect {
    var isLocked: Bool { if case .locked = self { true } else { false } }

    /// The effect in words.
    func sentence(isDryRun: Bool) -> String {
        switch self {
        case .added: isDryRun ? "would be added" : "added"
        case .changed: isDryRun ? "would be changed" : "changed"
        case .removed: isDryRun ? "would be removed" : "removed"
        case .same: "same"
        case .locked(let word): word.sentenceWhenLocked
        }
    }
}

extension WordPreview {
    fileprivate var text: String {
        var lines: [String] = []
        if namesInUse > 0 {
            lines.append(
                "\(namesInUse.grouped) \(namesInUse == 1 ? "name" : "names") in use would match; they stay with their owners:"
            )
            lines += examples.map { record, word in
                let owner = record.owner.map { " by \($0.id.printable)" } ?? ""
                return "  \(record.display.description.padded(to: 16)) \(record.state.rawValue)\(owner) (\(word.word))"
            }
            if namesInUse > examples.count { lines.append("  …") }
        }
        if !commonNames.isEmpty {
            lines.append(
                "\(commonNames.count.grouped) common \(commonNames.count == 1 ? "name" : "names") of people would "
                    + "be refused:")
            let shown = commonNames.prefix(Self.longestExamples).map { "\($0.name) (\($0.word.word))" }
            lines.append("  " + shown.joined(separator: ", ") + (commonNames.count > shown.count ? ", …" : ""))
        }
        return lines.joined(separator: "\n")
    }
}
