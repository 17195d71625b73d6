package import HandleRules

/// The reserved words in force. The time of a look-up does not depend on their number.
///
/// A class, so that a look-up in any of its tables costs no reference counting.
package final class ReservedWords: Sendable {
    private let words: [ReservedWord]
    /// Every word, for names that spell one or look like one.
    private let candidates: CandidateWords
    /// Names that resemble a word and are none.
    private let innocent: PackedTable
    private let affixes = Affixes()
    /// Words for which names are searched letter by letter.
    private let inside: InsideWords
    /// Of several words the one that a name is most like wins, and of those the first. Words of the kinds `whole` and
    /// `inside` come after the others.
    /// - Parameter innocent: names that resemble a word or contain one and are none, such as those of people. They are
    ///   refused only if they are a word themselves. An innocent name that contains a word may be a part of other names.
    package init(_ words: some Sequence<ReservedWord>, innocent: some Sequence<PackedASCII> = []) {
        let (words, innocent) = (Array(words), Array(innocent))
        self.words = words
        candidates = CandidateWords(words)
        inside = InsideWords(words, innocent: innocent)
        self.innocent = PackedTable(innocent.map { ($0, 0) })
    }

    package var count: Int { words.count }

    /// The word that `letters` spell or disguise; nil when there is none.
    ///
    /// `letters` are canonical: lowercase letters, digits and underscores.
    package func match(_ letters: PackedASCII) -> ReservedWord? {
        find(letters).place.map { words[$0] }
    }

    /// The index of the word that `letters` spell or disguise, for ``subscript(_:)``, nil when there is none; and their
    /// look-alike key, which is computed anyway.
    package func find(_ letters: PackedASCII) -> (place: Int?, key: LookalikeKey) {
        let folded = FoldedName(letters)
        let name = KeyedName(letters, folded)
        return (place(of: name, folded), LookalikeKey(stored: name.key))
    }

    @inline(__always)
    private func place(of name: KeyedName, _ folded: FoldedName) -> Int? {
        // Else a word of underscores would match.
        if name.letters.isEmpty { return nil }
        // Nearly all names need no search.
        let mayBeLike = candidates.mayExist(for: name)
        let mayBeAffixed = affixes.mayBeIn(name, folded: folded.letters, around: candidates)
        let mayBeInside = inside.mayBeIn(name, folded)
        return mayBeLike || mayBeAffixed || mayBeInside ? search(name, folded, mayBeAffixed, mayBeInside) : nil
    }

    @inline(never)
    private func search(_ name: KeyedName, _ folded: FoldedName, _ mayBeAffixed: Bool, _ mayBeInside: Bool) -> Int? {
        if let (place, likeness) = candidates.closest(to: name) {
            return likeness == .spelled || innocent[name.letters] == nil ? place : placeOfItself(name, folded)
        }
        guard mayBeAffixed || mayBeInside else { return nil }
        if innocent[name.letters] != nil { return placeOfItself(name, folded) }
        if mayBeAffixed, let found = affixed(name, folded: folded.letters) { return found }
        return mayBeInside ? inside.place(in: name.letters, folded) : nil
    }

    /// The place of an innocent name that is a word of the kinds `whole` and `inside` itself.
    private func placeOfItself(_ name: KeyedName, _ folded: FoldedName) -> Int? {
        inside.place(in: name.letters, folded).flatMap { words[$0].word == name.letters ? $0 : nil }
    }

    /// The word at an index from ``find(_:)``.
    package subscript(place: Int) -> ReservedWord { words[place] }

    /// Whether a handle must not be suggested: it is reserved, or ``reach(part:)`` says so of one of its parts. A person
    /// may still claim a name of the second kind.
    package func reach(_ handle: Handle) -> Bool {
        let letters = handle.letters
        if match(letters) != nil { return true }
        guard letters.contains(Rules.underscore) else { return false }
        var start = 0
        for end in 0...letters.count where end == letters.count || letters[end] == Rules.underscore {
            if end > start, reach(part: letters.slice(from: start, length: end - start)) { return true }
            start = end + 1
        }
        return false
    }

    /// Whether a part of a suggestion is a locked or an offensive word, as in `merry_admin`.
    package func reach(part: PackedASCII) -> Bool {
        match(part).map { $0.isLocked || $0.isOffensive } ?? false
    }

    /// Finds the word that is left after removing affixes.
    func affixed(_ name: KeyedName, folded: PackedASCII) -> Int? {
        affixes.place(of: name, folded: folded, in: candidates)
    }
}
