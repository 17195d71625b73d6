package import HandleRules
package import HandleWords
import Postgres
import Seeds

/// The names that changes of the reserved words would refuse, or refuse no longer.
package struct WordPreview: Sendable {
    /// Names of one kind. Each of the first ones has the word that refuses it, before or after the changes.
    package struct Names: Sendable {
        package fileprivate(set) var count = 0
        package fileprivate(set) var first: [(name: PackedASCII, word: ReservedWord)] = []
        /// True to keep the first ones in alphabetical order; false to keep those that are noted first.
        fileprivate var isSorted = false

        /// As many names as a person reads.
        package static let most = 20
    }

    /// Names that are refused only before the changes, or only after.
    package struct Difference: Sendable {
        package fileprivate(set) var refused = Names()
        package fileprivate(set) var free = Names()
    }

    /// The names in use. Their owners keep them.
    package fileprivate(set) var namesInUse = Difference()
    /// The common names, which new owners want.
    package fileprivate(set) var commonNames = Difference()
    /// The records of the first names in use that would be newly refused.
    package fileprivate(set) var records: [PackedASCII: Record] = [:]

    /// True if names would be newly refused.
    package var refusesNames: Bool { namesInUse.refused.count + commonNames.refused.count > 0 }
}

extension Registry {
    /// Common names of people around the world, which show how far words reach.
    package static func commonNames() throws(ReservedWord.ListError) -> [PackedASCII] {
        try ReservedWord.names(parsing: Seeds.commonNames)
    }

    /// Compares the names in use and the common names with the words before and after some changes. Nothing is changed.
    /// - Throws: `PostgresError`
    package func preview(of changes: [WordChange], to words: WordsInForce) async throws -> WordPreview {
        var preview = WordPreview()
        if changes.isEmpty { return preview }
        var changed = words
        changed.apply(changes)
        let (before, after) = (words.tables, changed.tables)
        for name in try Self.commonNames() { preview.commonNames.note(name, before.match(name), after.match(name)) }
        preview.namesInUse = .init(refused: .init(isSorted: true), free: .init(isSorted: true))
        try await pool.readNamesInUse { page in
            for name in page.map(\.handle.letters) {
                preview.namesInUse.note(name, before.match(name), after.match(name))
            }
            return true
        }
        let first = preview.namesInUse.refused.first.compactMap { Handle($0.name) }
        if first.isEmpty { return preview }
        for record in try await pool.run(LookupRecords(handles: first)) where !record.isFree {
            preview.records[record.handle.letters] = record
        }
        return preview
    }
}

extension WordPreview.Difference {
    fileprivate mutating func note(_ name: PackedASCII, _ before: ReservedWord?, _ after: ReservedWord?) {
        switch (before, after) {
        case (nil, let word?): refused.add(name, word)
        case (let word?, nil): free.add(name, word)
        default: break
        }
    }
}

extension WordPreview.Names {
    fileprivate mutating func add(_ name: PackedASCII, _ word: ReservedWord) {
        count += 1
        if isSorted {
            first.insert((name, word), at: first.firstIndex { $0.name > name } ?? first.count)
            if first.count > Self.most { first.removeLast() }
        } else if first.count < Self.most {
            first.append((name, word))
        }
    }
}
