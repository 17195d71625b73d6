package import HandleRules

extension ReservedWord {
    /// The way in which a name matches a word.
    package enum Resemblance: Sendable {
        /// The name is the word.
        case spelled
        /// The name looks like the word: `adm1n`, `ad_min`.
        case looks
        /// The name is the word but for one letter that is doubled, or single: `addmin`, `suport`.
        case doubled
        /// The name is a word of the kind `authority`, or looks like one, with an affix that claims authority:
        /// `routes_team`.
        case authority
        /// The name is a word of the kind `affix`, or looks like one, with something before or after it: `real_admin`,
        /// `admin99`.
        case affix
        /// The name is a word of the kind `whole` or `inside` with digits for letters, underscores, or a number behind it:
        /// `sh1t`, `shit_99`.
        case whole
        /// The name contains a word of the kind `inside`: `fuckyou`.
        case inside
    }
}

extension ReservedWords {
    /// How `letters` match a word that ``match(_:)`` found for them.
    package static func resemblance(of letters: PackedASCII, to word: ReservedWord) -> ReservedWord.Resemblance {
        if word.match.isByLetters {
            return letters == word.word ? .spelled : InsideWords.isOnly(word, letters) ? .whole : .inside
        }
        switch Likeness(of: KeyedName(letters), to: KeyedWord(word)) {
        case nil: return word.match == .authority ? .authority : .affix
        case .spelled: return .spelled
        case .spelledWithUnderscores, .lookalike: return .looks
        case .doubled: return .doubled
        }
    }
}
