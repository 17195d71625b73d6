/// A reserved word with what names are compared with.
struct KeyedWord: Sendable {
    let word: ReservedWord
    /// The word without underscores.
    let bare: PackedASCII
    /// The look-alike key.
    let key: PackedASCII
    /// The symbols of the key before three of a letter became two.
    let symbols: PackedASCII
    /// Whether names with one of its letters doubled are like the word.
    let mayBeDoubled: Bool

    private static let shortestDoubledWord = 4

    init(_ word: ReservedWord) {
        self.word = word
        bare = word.word.withoutUnderscores
        symbols = KeyTable.shared.key(of: bare)
        key = LookalikeKey(walked: symbols, from: bare).letters
        mayBeDoubled = word.match == .affix && bare.count >= Self.shortestDoubledWord
    }
}
