package import HandleCore

/// How many names the reserved words refuse, before and after proposed changes.
package struct WordMeasurement: Sendable, Equatable {
    /// Numbers of names before and after.
    package struct Count: Sendable, Equatable {
        package var before = 0
        package var after = 0

        package init(before: Int = 0, after: Int = 0) { (self.before, self.after) = (before, after) }

        static func += (left: inout Count, right: Count) {
            left.before += right.before
            left.after += right.after
        }
    }

    /// The names that one word refuses.
    package struct Hits: Sendable, Equatable {
        package fileprivate(set) var names = Count()
        /// The category after the changes if the word refuses a name then, else the one before.
        package fileprivate(set) var category: String
        fileprivate var examplesBefore: [PackedASCII] = []
        fileprivate var examplesAfter: [PackedASCII] = []

        /// The first names that are refused and are not the word itself, each once: after the changes if any name is
        /// refused then.
        package var examples: [PackedASCII] { names.after > 0 ? examplesAfter : examplesBefore }
    }

    /// A name that is refused only before, or only after.
    package struct Difference: Sendable, Equatable {
        package let name: PackedASCII
        /// True if the name is newly refused, and false if it is newly free.
        package let isRefused: Bool
        package let word: ReservedWord
        package let way: ReservedWord.Way
    }

    /// Names of one kind of difference.
    package struct Differences: Sendable, Equatable {
        package fileprivate(set) var count = 0
        package fileprivate(set) var first: [Difference] = []

        fileprivate mutating func add(_ other: Differences) {
            count += other.count
            first += other.first.prefix(mostDifferences - first.count)
        }
    }

    /// All names measured.
    package private(set) var names = 0
    private var ways: [ReservedWord.Way: Count] = [:]
    package private(set) var categories: [String: Count] = [:]
    package private(set) var words: [PackedASCII: Hits] = [:]
    package private(set) var newlyRefused = Differences()
    package private(set) var newlyFree = Differences()

    /// The most examples of a word.
    fileprivate static let mostExamples = 3
    /// The most differences that are kept: as many as a person reads.
    package static let mostDifferences = 20

    package init() {}

    package subscript(way: ReservedWord.Way) -> Count { ways[way] ?? Count() }

    /// All refused names.
    package var refused: Count { total { _ in true } }
    /// Names that are refused because they imitate a word.
    package var disguises: Count { total(where: \.isDisguise) }
    /// Names that are refused though they are no word themselves.
    package var indirect: Count { total { $0 != .spelled } }

    private func total(where counts: (ReservedWord.Way) -> Bool) -> Count {
        ways.reduce(into: Count()) { if counts($1.key) { $0 += $1.value } }
    }

    /// True if the same names are refused before and after.
    package var isSame: Bool { newlyRefused.count == 0 && newlyFree.count == 0 }

    /// The words that refuse the most names, before or after; of two with as many, the one with more examples.
    package func topWords(_ most: Int) -> [(word: PackedASCII, hits: Hits)] {
        func names(_ hits: Hits) -> Int { max(hits.names.before, hits.names.after) }
        let sorted = words.sorted {
            (names($1.value), $1.value.examples.count, $0.key) < (names($0.value), $0.value.examples.count, $1.key)
        }
        return sorted.prefix(most).map { ($0.key, $0.value) }
    }

    /// Adds the figures of names that come after these.
    package mutating func add(_ other: WordMeasurement) {
        names += other.names
        for (way, count) in other.ways { ways[way, default: Count()] += count }
        for (category, count) in other.categories { categories[category, default: Count()] += count }
        for (word, hits) in other.words {
            words[word, default: Hits(category: hits.category)].add(hits)
        }
        newlyRefused.add(other.newlyRefused)
        newlyFree.add(other.newlyFree)
    }

    /// Notes a name, with the word that refuses it before and the one after.
    fileprivate mutating func note(
        _ name: PackedASCII, before: ReservedWord?, after: ReservedWord?
    ) -> Difference? {
        names += 1
        guard before != nil || after != nil else { return nil }
        if let before { note(name, before, Count(before: 1, after: 0)) }
        if let after { note(name, after, Count(before: 0, after: 1)) }
        guard (before == nil) != (after == nil), let word = after ?? before else { return nil }
        let difference = Difference(
            name: name, isRefused: after != nil, word: word, way: ReservedWords.way(from: name, to: word))
        let one = Differences(count: 1, first: [difference])
        if difference.isRefused { newlyRefused.add(one) } else { newlyFree.add(one) }
        return difference
    }

    private mutating func note(_ name: PackedASCII, _ word: ReservedWord, _ count: Count) {
        let way = ReservedWords.way(from: name, to: word)
        ways[way, default: Count()] += count
        categories[word.category, default: Count()] += count
        var hits = Hits(names: count, category: word.category)
        if way != .spelled {
            hits.examplesBefore = count.before > 0 ? [name] : []
            hits.examplesAfter = count.after > 0 ? [name] : []
        }
        words[word.word, default: Hits(category: word.category)].add(hits)
    }
}

extension WordMeasurement.Hits {
    fileprivate mutating func add(_ other: Self) {
        names += other.names
        if other.names.after > 0 { category = other.category }
        Self.add(other.examplesBefore, to: &examplesBefore)
        Self.add(other.examplesAfter, to: &examplesAfter)
    }

    private static func add(_ others: [PackedASCII], to examples: inout [PackedASCII]) {
        for other in others where examples.count < WordMeasurement.mostExamples && !examples.contains(other) {
            examples.append(other)
        }
    }
}

extension ProposedWords {
    /// Measures names.
    /// - Parameters:
    ///   - names: canonical letters.
    ///   - places: the results of `before.find(all:)` for these names.
    ///   - differs: called for each name that is newly refused or newly free, in order.
    package func measure(
        _ names: [PackedASCII], places: [Int?], differs: (WordMeasurement.Difference) -> Void = { _ in }
    ) -> WordMeasurement {
        var measurement = WordMeasurement()
        let placesAfter = areChanged ? after.find(all: names) : places
        for (index, name) in names.enumerated() {
            let (before, after) = (places[index].map { self.before[$0] }, placesAfter[index].map { self.after[$0] })
            if let difference = measurement.note(name, before: before, after: after) { differs(difference) }
        }
        return measurement
    }

    /// Measures names.
    package func measure(_ names: [PackedASCII]) -> WordMeasurement { measure(names, places: before.find(all: names)) }
}
