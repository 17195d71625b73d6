/// The reserved words in force. The time of a look-up does not depend on their number.
///
/// A class, so that a look-up in any of its tables costs no reference counting.
public final class ReservedWords: Sendable {
    private let words: [ReservedWord]
    /// Every word by its own spelling.
    private let bySpelling: PackedTable
    /// Words that also match names that look like them, by look-alike key.
    private let byKey: PackedTable
    /// The same words by folded letters, for names with a key that is too short to compare.
    private let byLetters: PackedTable
    /// Words that also match with affixes, by spelling and by folded letters.
    private let affixedBySpelling: PackedTable
    private let affixedByLetters: PackedTable
    /// Names of people that look like a word.
    private let innocent: PackedTable
    private let affixes = Affixes()

    /// Too many names share a shorter key: all of i, l and 1 have the key `i`.
    private static let shortestKey = 2
    /// A shorter word next to an affix counts only with a joint.
    private static let shortestWordWithoutJoint = 4

    /// Of words with the same spelling or key, the first wins.
    /// - Parameter innocent: names of people that look like a word; they are refused only if they are a word
    ///   themselves.
    public init(_ words: some Sequence<ReservedWord>, innocent: some Sequence<PackedASCII> = []) {
        let words = Array(words)
        self.words = words
        func table(of match: [ReservedWord.Match], _ key: (ReservedWord) -> PackedASCII?) -> PackedTable {
            PackedTable(
                words.enumerated().compactMap { index, word in
                    match.contains(word.match) ? key(word).map { ($0, index) } : nil
                })
        }
        bySpelling = table(of: [.exact, .lookalike, .affix]) { $0.word }
        byKey = table(of: [.lookalike, .affix]) { word in
            let key = LookalikeKey(word.word).letters
            return key.count < Self.shortestKey ? nil : key
        }
        byLetters = table(of: [.lookalike, .affix]) { $0.word.folded.withoutUnderscores }
        affixedBySpelling = table(of: [.affix]) { $0.word }
        affixedByLetters = table(of: [.affix]) { word in
            word.word.count < Self.shortestWordWithoutJoint ? nil : word.word.folded.withoutUnderscores
        }
        self.innocent = PackedTable(innocent.map { ($0, 0) })
    }

    public var count: Int { words.count }

    /// The reserved word with exactly this spelling.
    public func word(_ letters: PackedASCII) -> ReservedWord? { bySpelling[letters].map { words[$0] } }

    /// The word that `letters` spell or disguise; nil when there is none.
    ///
    /// `letters` are canonical: lowercase letters, digits and underscores.
    public func match(_ letters: PackedASCII) -> ReservedWord? {
        let (folded, key) = letters.foldedWithKey()
        return place(of: letters, folded, key.letters).map { words[$0] }
    }

    /// How `letters` match a word that ``match(_:)`` found for them: by spelling, by look, or with an affix.
    public static func way(from letters: PackedASCII, to word: ReservedWord) -> ReservedWord.Match {
        if letters == word.word { return .exact }
        let (folded, key) = letters.foldedWithKey()
        let looksLikeIt =
            key.letters.count >= shortestKey
            ? key == LookalikeKey(word.word) : folded.withoutUnderscores == word.word.folded.withoutUnderscores
        return looksLikeIt ? .lookalike : .affix
    }

    /// The same as ``match(_:)`` for many names, which takes less time for each. Writes the index of each word, for
    /// ``subscript(_:)``, and the look-alike keys, which are computed anyway.
    /// - Parameters:
    ///   - names: canonical letters.
    ///   - places: room for `names.count` indices; -1 means no word.
    ///   - keys: room for `names.count` look-alike keys.
    public func find(
        all names: UnsafeBufferPointer<PackedASCII>, places: UnsafeMutablePointer<Int32>,
        keys: UnsafeMutablePointer<PackedASCII>
    ) {
        withUnsafeTemporaryAllocation(of: PackedASCII.self, capacity: names.count) { folded in
            guard let folded = folded.baseAddress else { return }
            KeyTable.shared.walk(names, folded: folded, keys: keys)
            for (index, letters) in names.enumerated() {
                places[index] =
                    place(of: letters, folded[index], keys[index]).map(Int32.init(truncatingIfNeeded:)) ?? -1
            }
        }
    }

    /// The same for an array of names; nil means no word.
    public func find(all names: [PackedASCII]) -> [Int?] {
        var places = [Int32](repeating: -1, count: names.count)
        var keys = [PackedASCII](repeating: PackedASCII(), count: names.count)
        names.withUnsafeBufferPointer { find(all: $0, places: &places, keys: &keys) }
        return places.map { $0 < 0 ? nil : Int($0) }
    }

    @inline(__always)
    private func place(of letters: PackedASCII, _ folded: PackedASCII, _ key: PackedASCII) -> Int? {
        if let found = bySpelling[letters] { return found }
        guard let found = disguised(letters, folded, key), innocent[letters] == nil else { return nil }
        return found
    }

    /// The word at an index from ``find(all:)``.
    public subscript(place: Int) -> ReservedWord { words[place] }

    /// Whether a handle must not be suggested: it is reserved, or one of its parts is a locked word, as in
    /// `merry_admin`. A person may still claim a name of the second kind.
    public func reach(_ handle: Handle) -> Bool {
        let letters = handle.letters
        if match(letters) != nil { return true }
        guard letters.contains(Rules.underscore) else { return false }
        var start = 0
        for end in 0...letters.count where end == letters.count || letters[end] == Rules.underscore {
            if end > start, match(letters.slice(from: start, length: end - start))?.isLocked == true { return true }
            start = end + 1
        }
        return false
    }

    private func disguised(_ letters: PackedASCII, _ folded: PackedASCII, _ key: PackedASCII) -> Int? {
        if key.count >= Self.shortestKey {
            // Letters that fold to those of a word have the key of the word.
            if let found = byKey[key] { return found }
        } else if let found = byLetters[folded.withoutUnderscores] {
            return found
        }
        return mayBeAffixed(letters, folded) ? affixed(letters, folded) : nil
    }

    /// A quick check whether a search for affixes could find a word; the search itself is slow.
    func mayBeAffixed(_ letters: PackedASCII, _ folded: PackedASCII) -> Bool {
        affixes.mayBeIn(letters, folded) { core, foldedCore in
            core.count < Self.shortestWordWithoutJoint
                ? affixedBySpelling[core] != nil : affixedByLetters[foldedCore] != nil
        }
    }

    /// Finds the word that is left after removing affixes.
    func affixed(_ letters: PackedASCII, _ folded: PackedASCII) -> Int? {
        affixes.firstCore(of: letters, folded: folded) { core, foldedCore, hasJoint -> Int? in
            if hasJoint, let found = affixedBySpelling[core] { return found }
            if core.count < Self.shortestWordWithoutJoint { return nil }
            return affixedByLetters[foldedCore.withoutUnderscores]
        }
    }
}
