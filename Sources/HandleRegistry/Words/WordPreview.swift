package import HandleCore
import Postgres
import Seeds

/// Whom some reserved words would hit, were they in force.
package struct WordPreview: Sendable {
    /// How many names in use would be hit; their owners keep them.
    package internal(set) var namesInUse = 0
    /// The first of those names, and the word that each is or is a disguise of.
    package internal(set) var examples: [(record: Record, word: ReservedWord)] = []
    /// Those of the common names that nobody new could have any more, each with its word.
    package internal(set) var commonNames: [(name: PackedASCII, word: ReservedWord)] = []

    /// How many examples there are at most: as many as a person reads.
    package static let longestExamples = 20

    /// Whether nobody is hit.
    package var isEmpty: Bool { namesInUse == 0 && commonNames.isEmpty }
}

extension Registry {
    /// Common names of people around the world, by which to see how far words reach.
    package static func commonNames() throws(ReservedWord.ListError) -> [PackedASCII] {
        try ReservedWord.names(parsing: Seeds.commonNames)
    }

    /// Finds out whom words would hit, by themselves, also those that other words hit already. Changes nothing.
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
        // What has been given up since the names were read is no example any more.
        let records = try await pool.run(LookupMany(handles: first)).filter { !$0.isFree }
        preview.examples = records.sorted { $0.handle < $1.handle }.compactMap { record in
            words.match(record.handle.letters).map { (record, $0) }
        }
        return preview
    }
}
