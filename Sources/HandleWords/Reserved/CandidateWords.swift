import HandleRules

/// The few words that a name may spell or disguise, found with one look-up by the rough key. Nearly all names have
/// none.
///
/// ``Likeness`` decides whether a name is like a candidate. A word has a rough key for every name that is like it.
final class CandidateWords: Sendable {
    private let words: [KeyedWord]
    /// The places of the words of each rough key.
    private let places: PackedLists<Int32>
    /// The first four symbols of the rough keys of words that match beside a number.
    private let beginnings: GramFilter

    init(_ words: [ReservedWord]) {
        var places: [PackedASCII: [Int32]] = [:]
        var beginnings = GramFilter()
        let words = words.map(KeyedWord.init)
        for (place, word) in words.enumerated() where !word.match.isByLetters {
            for key in Self.roughKeys(of: word) { places[key, default: []].append(Int32(place)) }
            if word.match == .affix { beginnings.insert(word.key.withoutRuns.firstGram) }
        }
        self.places = PackedLists(places)
        self.words = words
        self.beginnings = beginnings
    }

    /// A quick check whether a name has candidates.
    @inline(__always)
    func mayExist(for name: KeyedName) -> Bool { places.mayContain(name.roughKey) }

    /// Whether a name has candidates.
    @inline(__always)
    func exist(for name: KeyedName) -> Bool { places.contains(name.roughKey) }

    /// A quick check whether a word may be in front of up to `digits` digits at the end of a name.
    @inline(__always)
    func mayExist(before digits: Int, of name: KeyedName) -> Bool {
        // Each digit is one symbol at most. If four are left, they begin the word. Only `c1` makes another symbol of a
        // letter of the word. It spends no symbol, so five are left then, of which that is the last.
        name.roughKey.count - digits < 4 || beginnings.mayContain(name.roughKey.firstGram)
    }

    /// The place of the word that a name is most like, the first of several; nil when it is like none.
    /// - Parameter counts: whether the likeness to a word counts.
    @inline(__always)
    func closest(
        to name: KeyedName, where counts: (KeyedWord, Likeness) -> Bool = { _, _ in true }
    ) -> (place: Int, likeness: Likeness)? {
        var closest: (place: Int, likeness: Likeness)?
        places.visit(name.roughKey) { place in
            let word = words[Int(place)]
            if let likeness = Likeness(of: name, to: word), counts(word, likeness),
                closest.map({ likeness < $0.likeness }) ?? true
            {
                closest = (Int(place), likeness)
            }
            return false
        }
        return closest
    }

    /// In shorter words next to an affix, no letter may stand for another.
    private static let shortestDisguisedCore = 4

    /// The place of the word that is left of a name without its affixes.
    func place(ofCore core: KeyedName, beside joint: Joint) -> Int? {
        let found = closest(to: core) { word, likeness in
            let length = min(core.letters.count, word.word.count)
            let isLong = likeness < .doubled && length >= Self.shortestDisguisedCore
            switch word.match {
            case .exact, .lookalike, .whole, .inside: return false
            case .authority:
                let isShort = core.letters.withoutUnderscores.count < KeyedWord.shortestAuthority
                guard joint.isStrong, joint.isUnderscore || !word.isOnlySpelled && !isShort else { return false }
                return isLong || likeness == .spelled
            case .affix: return isLong || likeness == .spelled && joint.isClear
            }
        }
        return found?.place
    }

    /// The rough keys of all names that are like a word.
    ///
    /// A name with a letter doubled has the rough key of the word, unless the letter may be part of a pair: `rnn` looks
    /// like `mn`, and `vv` like `w`.
    private static func roughKeys(of word: KeyedWord) -> [PackedASCII] {
        let letters = word.bare
        var keys = [KeyedName(letters).roughKey]
        guard word.mayBeDoubled else { return keys }
        for index in 0..<letters.count where lettersOfPairs.contains(letters[index]) {
            let (before, behind) = (letters.slice(from: 0, length: index), letters.withoutRun(at: index))
            for length in 1...(lettersOfWide.contains(letters[index]) ? 3 : 2) {
                let run = PackedASCII(repeatElement(letters[index], count: length))
                guard let name = run.flatMap(before.joined)?.joined(with: behind) else { break }
                let key = KeyedName(name).roughKey
                if !keys.contains(key) { keys.append(key) }
            }
        }
        return keys
    }

    private static let lettersOfPairs: PackedASCII = "rncilvw"
    /// A run of v is w but for one v. It gives three rough keys: of one v, of an even number, and of an odd one.
    private static let lettersOfWide: PackedASCII = "vw"
}
