import CProcessor

/// The results of a quick look at a name: how it may be like a word. Nearly all names have none, and need no search.
struct Suspicions: OptionSet, Sendable {
    let rawValue: Int32

    /// The name is like a word.
    static let likeness = Suspicions(rawValue: SUSPECT_LIKENESS)
    /// The name is or contains a word of the kinds `whole` and `inside`.
    static let inside = Suspicions(rawValue: SUSPECT_INSIDE)
    /// The name has a prefix or a suffix around a word.
    static let affix = Suspicions(rawValue: SUSPECT_AFFIX)
    /// The name has a number behind a word, and no affix.
    static let number = Suspicions(rawValue: SUSPECT_NUMBER)
}
