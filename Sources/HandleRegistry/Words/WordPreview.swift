package import HandleCore
import Postgres
import Seeds

/// The handles and common names that reserved words would match, if they were in force.
package struct WordPreview: Sendable {
    /// Number of matching handles in use; their owners keep them.
    package internal(set) var namesInUse = 0
    /// The first of these handles, each with the word that it is or imitates.
    package internal(set) var examples: [(record: Record, word: ReservedWord)] = []
    /// The matching common names, each with its word. New owners could no longer claim them.
    package internal(set) var commonNames: [(name: PackedASCII, word: ReservedWord)] = []

    /// The most examples: as many as a person reads.
    package static let longestExamples = 20

    /// True if there are no matches.
    package var isEmpty: Bool { namesInUse == 0 && commonNames.isEmpty }
}

extension Registry {
    /// Common names of people around the world, which show how far words reach.
    package static func commonNames() throws(ReservedWord.ListError) -> [PackedASCII] {
        try ReservedWord.names(parsing: Seeds.commonNames)
    }

    /// Finds the handles that words would match on their own, even if other words match them already. Changes nothing.
    /// - Throws: `PostgresError`
    package func preview(of words: [ReservedWord]) async throws -> WordPreview {
        var preview = WordPreview()
        guard !words.isEmpty else { return preview }
        let words = vocabulary.alone(words)
        let common = try Self.commonNames()
        for (name, place) in zip(common, words.find(all: common)) {
            if let place { preview.commonNames.append((name, words[place])) }
        }
        var first: [Handle] = []
        var last: PackedASCII? = PackedASCII()
        while let after = last {
            try Task.checkCancellation()
            let page = try await pool.run(StatesPage(after: after)).map(\.handle)
            for (name, place) in zip(page, words.find(all: page)) where place != nil {
                preview.namesInUse += 1
                if first.count < WordPreview.longestExamples, let handle = Handle(name) { first.append(handle) }
            }
            last = page.count == StatesPage.size ? page.last : nil
        }
        guard !first.isEmpty else { return preview }
        // Handles released since the page was read are left out.
        let records = try await pool.run(LookupMany(handles: first)).filter { !$0.isFree }
        preview.examples = records.sorted { $0.handle < $1.handle }.compactMap { record in
            words.match(record.handle.letters).map { (record, $0) }
        }
        return preview
    }
}
