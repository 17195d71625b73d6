/// The reserved words in force. The time of a look-up does not depend on their number.
///
/// A class, so that a look-up in any of its tables costs no reference counting.
public final class ReservedWords: Sendable {
    private let words: [ReservedWord]
    /// Every word, for names that spell one or look like one.
    private let candidates: CandidateWords
    /// Names that resemble a word and are none.
    private let innocent: PackedTable
    private let affixes = Affixes()
    /// Words for which names are searched letter by letter.
    private let inside: InsideWords
    /// Nil where each name is looked at by itself.
    let scanner: NameScanner?

    /// Of several words the one that a name is most like wins, and of those the first. Words of the kinds `whole` and
    /// `inside` come after the others.
    /// - Parameter innocent: names that resemble a word or contain one and are none, such as those of people. They are
    ///   refused only if they are a word themselves. An innocent name that contains a word may be a part of other names.
    public convenience init(_ words: some Sequence<ReservedWord>, innocent: some Sequence<PackedASCII> = []) {
        self.init(words, innocent: innocent, scans: NameScanner.isAvailable)
    }

    /// - Parameter scans: whether to look at many names with vector instructions. The processor must have them.
    package init(_ words: some Sequence<ReservedWord>, innocent: some Sequence<PackedASCII> = [], scans: Bool) {
        let (words, innocent) = (Array(words), Array(innocent))
        self.words = words
        candidates = CandidateWords(words)
        inside = InsideWords(words, innocent: innocent)
        self.innocent = PackedTable(innocent.map { ($0, 0) })
        scanner = scans ? NameScanner(candidates, inside, affixes) : nil
    }

    public var count: Int { words.count }

    /// The word that `letters` spell or disguise; nil when there is none.
    ///
    /// `letters` are canonical: lowercase letters, digits and underscores.
    public func match(_ letters: PackedASCII) -> ReservedWord? {
        let folded = FoldedName(letters)
        return place(of: KeyedName(letters, folded), folded).map { words[$0] }
    }

    /// Looks quickly at a name.
    @inline(__always)
    func suspicions(of name: KeyedName, _ folded: FoldedName) -> Suspicions {
        var suspicions = affixes.suspicions(of: name, folded: folded.letters, around: candidates)
        if candidates.mayExist(for: name) { suspicions.insert(.likeness) }
        if inside.mayBeIn(name, folded) { suspicions.insert(.inside) }
        return suspicions
    }

    /// The same as ``match(_:)`` for many names. Writes the index of each word, for ``subscript(_:)``, and the look-alike
    /// keys, which are computed anyway.
    /// - Parameters:
    ///   - names: canonical letters.
    ///   - places: room for `names.count` indices; -1 means no word.
    ///   - keys: room for `names.count` look-alike keys.
    public func find(
        all names: UnsafeBufferPointer<PackedASCII>, places: UnsafeMutablePointer<Int32>,
        keys: UnsafeMutablePointer<PackedASCII>
    ) {
        func find(_ index: Int) {
            let folded = FoldedName(names[index])
            let name = KeyedName(names[index], folded)
            keys[index] = name.key
            places[index] = place(of: name, folded).map(Int32.init(truncatingIfNeeded:)) ?? -1
        }
        places.update(repeating: -1, count: names.count)
        guard let scanner else {
            return names.indices.forEach(find)
        }
        scanner.scan(names, keys: keys, unread: find) { suspect in
            if let place = place(of: suspect.name, suspect.folded, suspect.suspicions) {
                places[suspect.index] = Int32(truncatingIfNeeded: place)
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
    private func place(of name: KeyedName, _ folded: FoldedName) -> Int? {
        // Else a word of underscores would match.
        if name.letters.isEmpty { return nil }
        let suspicions = suspicions(of: name, folded)
        return suspicions.isEmpty ? nil : place(of: name, folded, suspicions)
    }

    /// The place of the word of a suspect.
    private func place(of name: KeyedName, _ folded: FoldedName, _ suspicions: Suspicions) -> Int? {
        if suspicions.contains(.likeness), let (place, likeness) = candidates.closest(to: name) {
            return likeness == .spelled || innocent[name.letters] == nil ? place : placeOfItself(name, folded)
        }
        let mayBeAffixed = affixes.mayBeIn(name, suspicions, around: candidates)
        guard mayBeAffixed || suspicions.contains(.inside) else { return nil }
        if innocent[name.letters] != nil { return placeOfItself(name, folded) }
        if mayBeAffixed, let found = affixed(name, folded: folded.letters) { return found }
        return suspicions.contains(.inside) ? inside.place(in: name.letters, folded) : nil
    }

    /// The place of an innocent name that is a word of the kinds `whole` and `inside` itself.
    private func placeOfItself(_ name: KeyedName, _ folded: FoldedName) -> Int? {
        inside.place(in: name.letters, folded).flatMap { words[$0].word == name.letters ? $0 : nil }
    }

    /// The word at an index from ``find(all:)``.
    public subscript(place: Int) -> ReservedWord { words[place] }

    /// Whether a handle must not be suggested: it is reserved, or ``reach(part:)`` says so of one of its parts. A person
    /// may still claim a name of the second kind.
    public func reach(_ handle: Handle) -> Bool {
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
