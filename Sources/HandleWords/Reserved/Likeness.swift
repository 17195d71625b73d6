import HandleRules

/// How a name is like a reserved word without an affix, the closest first.
enum Likeness: Int, Comparable {
    case spelled
    /// Spelled but for underscores.
    case spelledWithUnderscores
    case lookalike
    /// But for one letter that is doubled, or single: `addmin`, `suport`.
    case doubled

    /// Names of people are close to shorter words, so a name that looks like one needs evidence that it is a disguise.
    private static let shortestWordWithoutEvidence = 4

    /// Nil when a name is not like the word.
    init?(of name: KeyedName, to word: KeyedWord) {
        let letters = name.letters
        if letters == word.word {
            self = .spelled
            return
        }
        if word.isOnlySpelled { return nil }
        if letters.withoutUnderscores == word.bare {
            self = .spelledWithUnderscores
        } else if Self.isLookalike(name, of: word) {
            self = .lookalike
        } else if word.mayBeDoubled, !Self.beginsWithInitial(letters),
            letters.withoutUnderscores.differsInOneRun(from: word.bare)
        {
            self = .doubled
        } else {
            return nil
        }
    }

    /// A digit of a word is that digit: `dev1` is not `devi`. With a short word, a digit or an underscore is evidence of
    /// a disguise, and so is a pair for a letter.
    private static func isLookalike(_ name: KeyedName, of word: KeyedWord) -> Bool {
        let letters = name.letters
        // Symbols are compared as well: `ss5d` looks like `sssd`, but the key of that has two s.
        guard !word.bare.hasDigit, name.key == word.key || FoldedName(letters).symbols == word.symbols else {
            return false
        }
        return word.bare.count >= shortestWordWithoutEvidence || letters.hasDigit
            || letters.contains(Rules.underscore) || letters.count != word.bare.count
    }

    /// `m_moore` is a person's initial and surname.
    private static func beginsWithInitial(_ letters: PackedASCII) -> Bool { letters[1] == Rules.underscore }

    static func < (left: Likeness, right: Likeness) -> Bool { left.rawValue < right.rawValue }
}

extension PackedASCII {
    /// Whether two names have the same letters in the same order, and exactly one run of a letter differs in length.
    fileprivate func differsInOneRun(from other: PackedASCII) -> Bool {
        var (i, j, differing) = (0, 0, 0)
        while i < count, j < other.count {
            let letter = self[i]
            guard letter == other[j] else { return false }
            let (start, otherStart) = (i, j)
            while self[i] == letter { i += 1 }
            while other[j] == letter { j += 1 }
            if i - start != j - otherStart { differing += Rules.isLetter(letter) ? 1 : 2 }
        }
        return i == count && j == other.count && differing == 1
    }
}
