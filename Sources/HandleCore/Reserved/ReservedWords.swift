/// The reserved words in force, ready to be looked up: the time does not depend on how many there are.
///
/// A class, so that a look-up in any of its tables costs no counting of references.
public final class ReservedWords: Sendable {
    private let words: [ReservedWord]
    /// Every word by its own spelling.
    private let bySpelling: PackedTable
    /// Words that match whatever looks like them, by look-alike key.
    private let byKey: PackedTable
    /// The same by their folded letters, for names whose key is too short to tell.
    private let byLetters: PackedTable
    /// Words that also match with affixes, by spelling and by folded letters.
    private let affixedBySpelling: PackedTable
    private let affixedByLetters: PackedTable
    /// Names that look like a word and are none: those of people.
    private let innocent: PackedTable
    private let affixes = Affixes()

    /// A shorter key is shared by too many names: all of i, l and 1 have the key `i`.
    private static let shortestKey = 2
    /// A shorter word is found beside an affix only where a joint sets it apart.
    private static let shortestWordWithoutJoint = 4

    /// An earlier word goes before a later one that has the same spelling or key.
    /// - Parameter innocent: names of people that look like a word; they match only as that word itself.
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

    /// The word that `letters` is, or is a disguise of; nil when they are free of reserved words.
    ///
    /// `letters` are canonical: lowercase letters, digits and underscores.
    public func match(_ letters: PackedASCII) -> ReservedWord? {
        let (folded, key) = letters.foldedWithKey()
        return place(of: letters, folded, key.letters).map { words[$0] }
    }

    /// In which way letters are a word that ``match(_:)`` has found for them: spelled like it, looking like it, or with
    /// an affix.
    public static func way(from letters: PackedASCII, to word: ReservedWord) -> ReservedWord.Match {
        if letters == word.word { return .exact }
        let (folded, key) = letters.foldedWithKey()
        let looksLikeIt =
            key.letters.count >= shortestKey
            ? key == LookalikeKey(word.word) : folded.withoutUnderscores == word.word.folded.withoutUnderscores
        return looksLikeIt ? .lookalike : .affix
    }

    /// The same for many names, which takes less time for each than one by one: as places in this list, for
    /// ``subscript(_:)``, with the look-alike keys, which are found on the way.
    /// - Parameters:
    ///   - names: canonical.
    ///   - places: room for as many; -1 where there is no word.
    ///   - keys: room for as many look-alike keys.
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

    /// The same for the names of an array; nil where there is no word.
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

    /// The word at a place that ``find(all:)`` has found.
    public subscript(place: Int) -> ReservedWord { words[place] }

    /// Whether a handle should not be offered to anybody: it is reserved, or one of its parts is a locked word, as in
    /// `merry_admin`. A person may still ask for such a name and have it.
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

    /// Whether a search for affixes could find a word: it is the search that takes long.
    func mayBeAffixed(_ letters: PackedASCII, _ folded: PackedASCII) -> Bool {
        affixes.mayBeIn(letters, folded) { core, foldedCore in
            core.count < Self.shortestWordWithoutJoint
                ? affixedBySpelling[core] != nil : affixedByLetters[foldedCore] != nil
        }
    }

    /// The word that is left when something is taken off.
    func affixed(_ letters: PackedASCII, _ folded: PackedASCII) -> Int? {
        affixes.firstCore(of: letters, folded: folded) { core, foldedCore, hasJoint -> Int? in
            if hasJoint, let found = affixedBySpelling[core] { return found }
            if core.count < Self.shortestWordWithoutJoint { return nil }
            return affixedByLetters[foldedCore.withoutUnderscores]
        }
    }
}
