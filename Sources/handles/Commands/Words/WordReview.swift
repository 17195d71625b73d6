import HandleCore
import HandleRegistry

/// Applies changes of the reserved words. First it shows the names in use and the common names of people for which they
/// make a difference. If names would be newly refused, it asks for a confirmation.
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
        let preview = try await registry.preview(of: news)
        if !preview.isEmpty { Output.note(preview.text) }
        if isDryRun { return effects }
        if preview.refusesNames {
            try await Confirmation(isGiven: isConfirmed).ask(
                "Reserve \(news.count == 1 ? "this word" : "these \(news.count.grouped) words") anyway?",
                "names would be newly refused")
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
        [namesInUseLines, commonNamesLines].filter { !$0.isEmpty }.joined(separator: [""]).joined(separator: "\n")
    }

    private var namesInUseLines: [String] {
        let owned = examples.map { record, word in
            let owner = record.owner.map { " by \($0.id.printable)" } ?? ""
            return "\(record.display.description.padded(to: 16)) \(record.state.rawValue)\(owner) (\(word.word))"
        }
        return lines(
            namesInUse, title: "names in use", one: "name in use", several: "names in use",
            fate: "be newly refused; owners keep their names", newlyRefused: owned)
    }

    private var commonNamesLines: [String] {
        lines(
            commonNames, title: "common names", one: "common name of people", several: "common names of people",
            fate: "be newly refused", newlyRefused: commonNames.newlyRefused.first.map(\.line))
    }

    /// The figures, and the names that would be newly refused or newly free.
    private func lines(
        _ measured: WordMeasurement, title: String, one: String, several: String, fate: String, newlyRefused: [String]
    ) -> [String] {
        if measured.isSame { return [] }
        func list(_ differences: WordMeasurement.Differences, _ fate: String, _ examples: [String]) -> [String] {
            if differences.count == 0 { return [] }
            let names = differences.count == 1 ? one : several
            return ["\(differences.count.grouped) \(names) would \(fate):"] + examples.map { "  " + $0 }
                + (differences.count > examples.count ? ["  …"] : [])
        }
        let tables = MeasureTables(areChanged: true, width: nil, style: Style(isOn: false))
        return tables.ways(measured, title: title) + list(measured.newlyRefused, fate, newlyRefused)
            + list(measured.newlyFree, "no longer be refused", measured.newlyFree.first.map(\.line))
    }
}

extension WordMeasurement.Difference {
    fileprivate var line: String { "\(name.description.padded(to: 16)) (\(word.word))" }
}
