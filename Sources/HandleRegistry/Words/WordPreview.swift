package import HandleCore
import Postgres
import Seeds

/// The effect that a change of the reserved words would have on the names in use and on common names.
package struct WordPreview: Sendable {
    /// The names in use. Their owners keep them.
    package internal(set) var namesInUse = WordMeasurement()
    /// The common names, which new owners want.
    package internal(set) var commonNames = WordMeasurement()
    /// The first of the names in use that would be newly refused, each with the word that it is or imitates.
    package internal(set) var examples: [(record: Record, word: ReservedWord)] = []

    /// True if the same names are refused before and after the change.
    package var isEmpty: Bool { namesInUse.isSame && commonNames.isSame }
    /// True if names would be newly refused.
    package var refusesNames: Bool { namesInUse.newlyRefused.count + commonNames.newlyRefused.count > 0 }
}

extension Registry {
    /// Common names of people around the world, which show how far words reach.
    package static func commonNames() throws(ReservedWord.ListError) -> [PackedASCII] {
        try ReservedWord.names(parsing: Seeds.commonNames)
    }

    /// Measures the names in use and the common names with changes of some words. Nothing is changed.
    /// - Throws: `PostgresError`
    package func preview(of words: ProposedWords) async throws -> WordPreview {
        var preview = WordPreview()
        guard words.areChanged else { return preview }
        preview.commonNames = words.measure(try Self.commonNames())
        var last: PackedASCII? = PackedASCII()
        while let after = last {
            try Task.checkCancellation()
            let page = try await pool.run(StatesPage(after: after)).map(\.handle)
            preview.namesInUse.add(words.measure(page))
            last = page.count == StatesPage.size ? page.last : nil
        }
        let first = preview.namesInUse.newlyRefused.first.compactMap { Handle($0.name) }
        guard !first.isEmpty else { return preview }
        // Handles released since the page was read are left out.
        let records = try await pool.run(LookupMany(handles: first)).filter { !$0.isFree }
        preview.examples = records.sorted { $0.handle < $1.handle }.compactMap { record in
            words.after.match(record.handle.letters).map { (record, $0) }
        }
        return preview
    }
}
