import HandleRules

/// The words of the kinds `whole` and `inside`, which names are searched for letter by letter.
///
/// Nearly all names have none, so a quick check comes first. Only every second place of a name is looked up: a word has
/// an entry for four letters at an even place, and another for four at an odd one.
final class InsideWords: Sendable {
    private let words: [Word]
    private let beginnings: GramTable
    private let inner: GramTable
    /// The innocent names that contain a word of the kind `inside`, by the index of the word.
    private let carriers: [Int: [Carrier]]

    private struct Word: Sendable {
        /// The index in the list of all reserved words.
        let place: Int
        /// The letters without underscores.
        let bare: PackedASCII
    }

    /// An innocent name, and where the word begins in it.
    private struct Carrier: Sendable {
        let name: PackedASCII
        let offset: Int
    }

    private struct Hit {
        let word: Int
        let start: Int
    }

    /// Two letters are inside too many names.
    private static let shortestInside = 3
    /// More digits than these behind a word of the kind `whole` are no number of a person.
    private static let mostDigits = 4

    /// - Parameters:
    ///   - list: all reserved words. Those of other kinds are skipped.
    ///   - innocent: names, some of which contain a word.
    init(_ list: [ReservedWord], innocent: [PackedASCII]) {
        var (words, beginnings, inner) = ([Word](), [GramTable.Source](), [GramTable.Source]())
        for (place, word) in list.enumerated() where word.match.isByLetters {
            let bare = word.word.withoutUnderscores
            beginnings.append(.init(letters: bare, offset: 0, word: words.count))
            if word.match == .inside, bare.count >= Self.shortestInside {
                inner += (0...1).map {
                    .init(letters: bare, offset: GramTable.rarestOffset(in: bare, from: $0), word: words.count)
                }
            }
            words.append(Word(place: place, bare: bare))
        }
        self.words = words
        self.beginnings = GramTable(beginnings)
        self.inner = GramTable(inner)
        var carriers: [Int: [Carrier]] = [:]
        let spelled = Set(words.map(\.bare))
        // A word that is added in the place of an innocent name is no carrier of itself.
        for name in innocent where !spelled.contains(name) {
            Self.search(name, folded: name.folded, for: words, by: self.inner) { hit in
                carriers[hit.word, default: []].append(Carrier(name: name, offset: hit.start))
                return false
            }
        }
        self.carriers = carriers
    }

    /// A quick check whether a name could have a word; it is false for nearly all names.
    @inline(__always)
    func mayBeIn(_ name: KeyedName, _ folded: FoldedName) -> Bool {
        inner.filter.mayContain(everySecond: folded.letters) || beginnings.filter.mayContain(folded.bare.firstGram)
            || name.mayHaveRun && name.letters.hasLongRun
    }

    /// The place of the first word that a name is or contains. Three letters or more in a row count as two and as one
    /// too: `fuuuck`.
    func place(in letters: PackedASCII, _ folded: FoldedName) -> Int? {
        if let word = word(of: letters, folded) { return words[word].place }
        for shorter in letters.withoutLongRuns {
            if let word = word(of: shorter, FoldedName(shorter)) { return words[word].place }
        }
        return nil
    }

    private func word(of letters: PackedASCII, _ folded: FoldedName) -> Int? {
        let entry = beginnings.visit(folded.bare.firstGram) { Self.isOnly(words[$0.word].bare, letters) }
        return entry?.word ?? word(inside: letters, folded.letters)
    }

    /// Whether a name is a word, but for a number behind it.
    static func isOnly(_ word: ReservedWord, _ letters: PackedASCII) -> Bool {
        ([letters] + letters.withoutLongRuns).contains { isOnly(word.word.withoutUnderscores, $0) }
    }

    private func word(inside letters: PackedASCII, _ folded: PackedASCII) -> Int? {
        var found: Int?
        Self.search(letters, folded: folded, for: words, by: inner) { hit in
            let isCarried = (carriers[hit.word] ?? []).contains { carrier in
                letters.reads(as: carrier.name, from: hit.start - carrier.offset)
            }
            if !isCarried { found = hit.word }
            return !isCarried
        }
        return found
    }

    /// Two digits or more at the end are a number, and so is one behind an underscore. Else one may stand for a letter.
    private static func isOnly(_ word: PackedASCII, _ letters: PackedASCII) -> Bool {
        let bare = letters.withoutUnderscores
        let digits = bare.digits(before: bare.count)
        guard bare.reads(as: word, from: 0) else { return false }
        if bare.count == word.count + digits { return digits <= mostDigits }
        return bare.count == word.count && digits == 1 && letters[letters.count - 2] != Rules.underscore
    }

    /// Searches for words inside a name.
    /// - Parameter isLast: called for each one; returns true to end the search.
    private static func search(
        _ letters: PackedASCII, folded: PackedASCII, for words: [Word], by table: GramTable, isLast: (Hit) -> Bool
    ) {
        for index in stride(from: 0, to: letters.count, by: 2) {
            let last = table.visit(folded.gram(at: index)) { entry in
                let start = index - entry.offset
                return isInside(letters, words[entry.word].bare, from: start)
                    && isLast(Hit(word: entry.word, start: start))
            }
            if last != nil { return }
        }
    }

    /// Most letters of the word must be letters: `julien1994` has no `nigga`. And two digits or more at the end of a part
    /// are a number, unless the part begins with the word: nor has `koenig94`.
    private static func isInside(_ letters: PackedASCII, _ word: PackedASCII, from start: Int) -> Bool {
        guard letters.reads(as: word, from: start) else { return false }
        let end = start + word.count
        guard 2 * (start..<end).count(where: { Rules.isDigit(letters[$0]) }) < word.count else { return false }
        let isBeginning = start == 0 || letters[start - 1] == Rules.underscore
        if isBeginning || !Rules.isDigit(letters[end - 1]) { return true }
        var partEnd = end
        while Rules.isDigit(letters[partEnd]) { partEnd += 1 }
        let isEnd = partEnd == letters.count || letters[partEnd] == Rules.underscore
        return !isEnd || letters.digits(before: partEnd) < 2
    }
}

extension ReservedWord.Match {
    /// Whether names are searched for the word letter by letter.
    var isByLetters: Bool { self == .whole || self == .inside }
}

extension PackedASCII {
    /// Whether a word is there from an index on. A digit may stand for a letter, but no letter for another one.
    fileprivate func reads(as word: PackedASCII, from start: Int) -> Bool {
        guard start >= 0, start + word.count <= count else { return false }
        return (0..<word.count).allSatisfy {
            self[start + $0] == word[$0] || Self.reads(self[start + $0], as: word[$0])
        }
    }

    private static func reads(_ digit: UInt8, as letter: UInt8) -> Bool {
        switch digit {
        case UInt8(ascii: "0"): letter == UInt8(ascii: "o")
        case UInt8(ascii: "1"): letter == UInt8(ascii: "i") || letter == UInt8(ascii: "l")
        case UInt8(ascii: "2"): letter == UInt8(ascii: "z")
        case UInt8(ascii: "3"): letter == UInt8(ascii: "e")
        case UInt8(ascii: "4"): letter == UInt8(ascii: "a")
        case UInt8(ascii: "5"): letter == UInt8(ascii: "s")
        case UInt8(ascii: "6"): letter == UInt8(ascii: "g")
        case UInt8(ascii: "7"): letter == UInt8(ascii: "t")
        case UInt8(ascii: "8"): letter == UInt8(ascii: "b")
        case UInt8(ascii: "9"): letter == UInt8(ascii: "g") || letter == UInt8(ascii: "q")
        default: false
        }
    }

    /// The number of digits directly before an index.
    fileprivate func digits(before end: Int) -> Int {
        var start = end
        while start > 0, Rules.isDigit(self[start - 1]) { start -= 1 }
        return end - start
    }
}
