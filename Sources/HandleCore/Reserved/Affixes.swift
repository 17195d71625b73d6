/// The prefixes and suffixes that impersonators put around a word: `real_admin`, `theadmin`, `admin_team`, `admin2`.
final class Affixes: Sendable {
    /// Prefixes by their first byte, suffixes by their last.
    private let prefixes: Group
    private let suffixes: Group
    /// The first three letters of names that begin with a prefix, and the last three of names that end with a suffix.
    private let beginnings: TripleSet
    private let endings: TripleSet

    /// Affixes by one byte.
    private struct Group: Sendable {
        var affixes: [Affix] = []
        /// The index of the first affix of each byte, and the number of affixes at the end.
        var starts: [Int] = []

        @inline(__always)
        func range(of byte: UInt8) -> Range<Int> { starts[Int(byte)]..<starts[Int(byte) + 1] }
    }

    private struct Affix: Sendable {
        let letters: PackedASCII
        /// Whether the affix alone claims authority, so that a short word beside it needs no underscore.
        let isStrong: Bool
    }

    /// More digits than these at the end of a name are a person's number, not a disguise.
    private static let mostDigits = 4
    /// With up to this many digits directly after it, a short word still counts as a word with a number.
    private static let mostDigitsAtShortWord = 3

    init() {
        prefixes = Self.grouped(Self.weakPrefixes) { $0.first }
        suffixes = Self.grouped(Self.weakSuffixes) { $0.last }
        beginnings = TripleSet(
            (Self.strong + Self.weakPrefixes).map { $0.folded.slice(from: 0, length: 3) }, at: .start)
        endings = TripleSet(
            (Self.strong + Self.weakSuffixes).map { $0.folded.slice(from: max(0, $0.count - 3)) }, at: .end)
    }

    static let weakPrefixes: [PackedASCII] = [
        "the", "true", "actual", "genuine", "original", "only", "my", "our", "your", "iam", "im", "its",
        "itsme", "this_is", "super", "chief", "senior", "global", "new", "ask", "contact", "hey", "hello",
        "live", "app", "web",
    ]
    static let weakSuffixes: [PackedASCII] = [
        "teams", "desk", "helpdesk", "service", "services", "center", "centre", "care", "account", "accounts",
        "online", "live", "bot", "app", "hq", "inc", "llc", "ltd", "corp", "co", "org", "net", "com", "io",
        "global", "world", "info", "contact", "here", "user", "only", "dept", "office", "chat", "mail", "news",
        "page", "group",
    ]
    /// Affixes that alone claim authority.
    static let strong: [PackedASCII] = ["real", "official", "verified", "team", "support", "help", "staff"]

    private static func grouped(_ weak: [PackedASCII], by end: (PackedASCII) -> UInt8?) -> Group {
        let all =
            strong.map { Affix(letters: $0.folded, isStrong: true) }
            + weak.map { Affix(letters: $0.folded, isStrong: false) }
        var group = Group()
        for byte in 0..<UInt8(0x80) {
            group.starts.append(group.affixes.count)
            group.affixes += all.filter { end($0.letters) == byte }
        }
        group.starts.append(group.affixes.count)
        return group
    }

    /// A quick check whether removing affixes could leave a word. It is false for nearly all names, which then need no
    /// search.
    @inline(__always)
    func mayBeIn(_ name: KeyedName, folded: PackedASCII, around words: CandidateWords) -> Bool {
        if name.letters[0] == Rules.underscore || beginnings.contains(folded.firstThree)
            || endings.contains(folded.lastThree)
        {
            return true
        }
        guard var last = name.letters.last else { return false }
        // A number alone is no handle, and it may read as many short words.
        if Rules.isLetter(last) || !name.letters.hasLetter { return false }
        if name.letters.contains(Rules.underscore) { return true }
        var (rest, folded) = (name, folded)
        for _ in 0..<Self.mostDigits where Rules.isDigit(last) {
            rest = rest.withoutLastDigit(last, leaving: rest.letters.withoutLast)
            folded = folded.withoutLast
            last = rest.letters.last ?? 0
            if words.exist(for: rest), words.place(ofCore: rest, beside: .number) != nil { return true }
        }
        return endings.contains(folded.lastThree)
    }

    /// The place of the first word among the cores of a name. A core is the part that is left after removing a prefix, a
    /// suffix, digits at the end, or several of them.
    ///
    /// A short word needs a clear joint; else `ad` would be found in `adhere`.
    func place(of name: KeyedName, folded: PackedASCII, in words: CandidateWords) -> Int? {
        let whole = Part(letters: name.letters, folded: folded)
        var bare = whole.withoutUnderscoresAround
        // Underscores don't count in the key.
        var core = KeyedName(bare.letters, key: name.key)
        var digits = 0
        while let last = bare.letters.last, Rules.isDigit(last), digits < Self.mostDigits {
            digits += 1
            bare = bare.dropLast(1)
            core = core.withoutLastDigit(last, leaving: bare.withoutUnderscoresAround.letters)
            var joint = Joint.number
            joint.isClear = bare.letters.last == Rules.underscore || digits <= Self.mostDigitsAtShortWord
            if let found = words.place(ofCore: core, beside: joint) { return found }
        }
        // Without the underscores around: a suffix may be before them.
        if let found = search(whole.withoutUnderscoresAround, words) { return found }
        if digits == 0 { return nil }
        bare.joint = .number
        return search(bare.withoutUnderscoresAround, words)
    }

    private func search(_ part: Part, _ words: CandidateWords) -> Int? {
        if let found = searchSuffixes(part, words) { return found }
        guard beginnings.contains(part.folded.firstThree) else { return nil }
        for index in prefixes.range(of: part.folded[0]) {
            let prefix = prefixes.affixes[index]
            guard part.folded.hasPrefix(prefix.letters) else { continue }
            var rest = part.dropFirst(prefix.letters.count)
            guard rest.letters.count > 1 else { continue }
            rest.joint.add(isStrong: prefix.isStrong, hasUnderscore: rest.letters[0] == Rules.underscore)
            if let found = rest.place(in: words) ?? searchSuffixes(rest, words) { return found }
        }
        return nil
    }

    private func searchSuffixes(_ part: Part, _ words: CandidateWords) -> Int? {
        guard endings.contains(part.folded.lastThree) else { return nil }
        for index in suffixes.range(of: part.folded.last ?? 0) {
            let suffix = suffixes.affixes[index]
            guard part.folded.hasSuffix(suffix.letters) else { continue }
            var rest = part.dropLast(suffix.letters.count)
            guard rest.letters.count > 1 else { continue }
            rest.joint.add(isStrong: suffix.isStrong, hasUnderscore: rest.letters.last == Rules.underscore)
            if let found = rest.place(in: words) { return found }
        }
        return nil
    }
}

/// A set of three folded letters: one bit for each possible triple.
private struct TripleSet: Sendable {
    enum End { case start, end }

    private var bits = [UInt64](repeating: 0, count: 1 << 15 / 64)

    /// - Parameter affixes: two letters or three; with two, any third letter matches.
    init(_ affixes: [PackedASCII], at end: End) {
        for affix in affixes {
            let letters = (0..<affix.count).map { UInt64(affix[$0]) }
            let triples: [[UInt64]] =
                letters.count >= 3
                ? [letters] : (0..<32).map { end == .start ? letters + [$0] : [$0] + letters }
            for triple in triples {
                let place = Self.place(triple[0] << 16 | triple[1] << 8 | triple[2])
                bits[Int(place >> 6)] |= 1 << (place & 63)
            }
        }
    }

    /// - Parameter letters: three bytes in the lowest places.
    @inline(__always)
    func contains(_ letters: UInt64) -> Bool {
        let place = Self.place(letters)
        return bits[Int(place &>> 6)] & 1 &<< (place & 63) != 0
    }

    /// Joins the low five bits of each byte.
    @inline(__always)
    private static func place(_ letters: UInt64) -> UInt64 {
        (letters &>> 6 & 0x7C00) | (letters &>> 3 & 0x3E0) | (letters & 0x1F)
    }
}

extension PackedASCII {
    /// The first three bytes, in the lowest places.
    @inline(__always)
    fileprivate var firstThree: UInt64 { high &>> 40 }

    /// The last three bytes, in the lowest places; zeros come before fewer bytes.
    @inline(__always)
    fileprivate var lastThree: UInt64 {
        let shift = 128 - 8 * count
        return (low & ~0xFF) >> shift | high << (64 - shift)
    }

    /// All bytes but the last; there must be one.
    @inline(__always)
    var withoutLast: PackedASCII {
        count > 8
            ? PackedASCII(high: high, low: low & ~(0xFF << UInt64(128 - 8 * count)) - 1)
            : PackedASCII(high: high & ~(0xFF << UInt64(64 - 8 * count)), low: low - 1)
    }
}

/// A part of a name, as spelled and as folded.
private struct Part {
    let letters: PackedASCII
    let folded: PackedASCII
    var joint = Joint()

    func dropFirst(_ number: Int) -> Part {
        Part(letters: letters.slice(from: number), folded: folded.slice(from: number), joint: joint)
    }

    func dropLast(_ number: Int) -> Part {
        let length = letters.count - number
        return Part(
            letters: letters.slice(from: 0, length: length), folded: folded.slice(from: 0, length: length),
            joint: joint)
    }

    var withoutUnderscoresAround: Part {
        guard letters.first == Rules.underscore || letters.last == Rules.underscore else { return self }
        var start = 0
        var end = letters.count
        while start < end, letters[start] == Rules.underscore { start += 1 }
        while end > start, letters[end - 1] == Rules.underscore { end -= 1 }
        return dropLast(letters.count - end).dropFirst(start)
    }

    func place(in words: CandidateWords) -> Int? {
        words.place(ofCore: KeyedName(withoutUnderscoresAround.letters), beside: joint)
    }
}
