import HandleRules

/// A reserved word in the forms that names are compared with. It has no references, so copies need no counting.
struct KeyedWord: Sendable {
    let word: PackedASCII
    let match: ReservedWord.Match
    /// The word without underscores.
    let bare: PackedASCII
    /// The look-alike key.
    let key: PackedASCII
    /// The symbols of the key before three of a letter became two.
    let symbols: PackedASCII
    /// Whether no name is like the word but the word itself.
    let isOnlySpelled: Bool
    /// Whether names with one of its letters doubled are like the word.
    let mayBeDoubled: Bool

    private static let shortestDoubledWord = 4
    /// A word of the kind `authority` with fewer letters, not counting underscores, reaches less far. Names of people look
    /// like such words, and do no harm: `tom1` is no disguise of `toml`.
    static let shortestAuthority = 5

    init(_ word: ReservedWord) {
        self.word = word.word
        match = word.match
        bare = word.word.withoutUnderscores
        let folded = FoldedName(bare)
        symbols = folded.symbols
        key = LookalikeKey(folded, of: bare).letters
        isOnlySpelled = word.match == .exact || word.match == .authority && bare.count < Self.shortestAuthority
        mayBeDoubled = word.match == .affix && bare.count >= Self.shortestDoubledWord
    }
}
