/// The reserved words in force, ready to be looked up: the time does not depend on how many there are.
public struct ReservedWords: Sendable {
    private let words: [ReservedWord]
    /// Every word by its own spelling.
    private let bySpelling: PackedTable
    /// Words that match whatever looks like them, by look-alike key.
    private let byKey: PackedTable
    /// Words that also match with affixes, by look-alike key.
    private let byAffixedKey: PackedTable

    /// An earlier word goes before a later one that has the same spelling or key.
    public init(_ words: some Sequence<ReservedWord>) {
        let words = Array(words)
        self.words = words
        func table(of match: [ReservedWord.Match], _ key: (ReservedWord) -> PackedASCII) -> PackedTable {
            PackedTable(words.enumerated().filter { match.contains($1.match) }.map { (key($1), $0) })
        }
        bySpelling = table(of: [.exact, .lookalike, .affix]) { $0.word }
        byKey = table(of: [.lookalike, .affix]) { LookalikeKey($0.word).letters }
        byAffixedKey = table(of: [.affix]) { LookalikeKey($0.word).letters }
    }

    public var count: Int { words.count }

    /// The word that `letters` is, or is a disguise of; nil when they are free of reserved words.
    ///
    /// `letters` are canonical: lowercase letters, digits and underscores.
    public func match(_ letters: PackedASCII) -> ReservedWord? {
        if let found = bySpelling[letters] ?? byKey[LookalikeKey(letters).letters] { return words[found] }
        if let found = Affixes.firstCore(of: letters, where: { byAffixedKey[LookalikeKey($0).letters] }) {
            return words[found]
        }
        return nil
    }
}

/// A hash table with packed keys and linear probing, at most half full, built once.
struct PackedTable: Sendable {
    private var slots: [(key: PackedASCII, value: Int32)]
    private let mask: Int

    /// The first value of a key that comes twice is kept.
    init(_ entries: [(key: PackedASCII, value: Int)]) {
        var capacity = 16
        while capacity < entries.count * 2 { capacity *= 2 }
        slots = Array(repeating: (PackedASCII(), -1), count: capacity)
        mask = capacity - 1
        for (key, value) in entries where self[key] == nil {
            var slot = Self.hash(key) & mask
            while slots[slot].value >= 0 { slot = (slot + 1) & mask }
            slots[slot] = (key, Int32(value))
        }
    }

    subscript(key: PackedASCII) -> Int? {
        var slot = Self.hash(key) & mask
        while slots[slot].value >= 0 {
            if slots[slot].key == key { return Int(slots[slot].value) }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Multiplies both words by odd constants (those of xxHash64) and folds the high half down.
    private static func hash(_ key: PackedASCII) -> Int {
        let mixed = (key.high &* 0x9E37_79B1_85EB_CA87) ^ (key.low &* 0xC2B2_AE3D_27D4_EB4F)
        return Int(truncatingIfNeeded: (mixed ^ (mixed >> 32)) & 0x7FFF_FFFF)
    }
}
