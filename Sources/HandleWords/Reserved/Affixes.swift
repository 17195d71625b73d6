import HandleRules

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

        init(letters: PackedASCII, isStrong: Bool) {
            precondition(letters.count <= 8, "only the last eight letters of a name are compared")
            (self.letters, self.isStrong) = (letters, isStrong)
        }

        /// Whether a name ends with the affix.
        @inline(__always)
        func ends(_ lastEight: UInt64) -> Bool {
            (lastEight ^ letters.lastEight) << UInt64(64 - 8 * letters.count) == 0
        }
    }

    /// More digits than these at the end of a name are a person's number, not a disguise.
    static let mostDigits = 4
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

    /// A quick check whether removing affixes or a number could leave a word. For nearly all names it could not, and they
    /// need no search.
    @inline(__always)
    func mayBeIn(_ name: KeyedName, folded: PackedASCII, around words: CandidateWords) -> Bool {
        let front = name.letters[0] == Rules.underscore ? folded.withoutUnderscoresAtStart : folded
        if beginnings.contains(front.firstThree) || endings.contains(folded.lastEight) { return true }
        // A number alone is no handle, and it may read as many short words.
        guard let last = name.letters.last, !Rules.isLetter(last), name.letters.hasLetter else { return false }
        let tail = NameTail(of: name.letters)
        if tail.length > NameTail.longest || mayHaveSuffix(folded, before: tail) { return true }
        return tail.digits > 0 && words.mayExist(before: tail.digits, of: name) && hasNumber(name, behind: words)
    }

    /// Whether a suffix may be before the underscores at the end of a name, or before the digits as well. A digit may be a
    /// letter of the suffix: `admin_c0_`.
    @inline(__always)
    private func mayHaveSuffix(_ folded: PackedASCII, before tail: NameTail) -> Bool {
        endings.contains(folded.lastEight &>> UInt64(8 &* tail.underscores))
            || endings.contains(folded.lastEight &>> UInt64(8 &* tail.length))
    }

    /// Whether the digits at the end of a name are behind a word.
    private func hasNumber(_ name: KeyedName, behind words: CandidateWords) -> Bool {
        var (core, left) = (name, name.letters.withoutUnderscoresAtStart.withoutUnderscoresAtEnd)
        for _ in 0..<Self.mostDigits {
            guard let last = left.last, Rules.isDigit(last) else { return false }
            left = left.withoutLast
            core = core.withoutLastDigit(last, leaving: left.withoutUnderscoresAtEnd)
            if words.exist(for: core), words.place(ofCore: core, beside: .number) != nil { return true }
        }
        return false
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
        let last = part.folded.lastEight
        guard endings.contains(last) else { return nil }
        for index in suffixes.range(of: part.folded.last ?? 0) {
            let suffix = suffixes.affixes[index]
            guard suffix.ends(last) else { continue }
            var rest = part.dropLast(suffix.letters.count)
            guard rest.letters.count > 1 else { continue }
            rest.joint.add(isStrong: suffix.isStrong, hasUnderscore: rest.letters.last == Rules.underscore)
            if let found = rest.place(in: words) { return found }
        }
        return nil
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
        let left = letters.withoutUnderscoresAtEnd
        let start = left.count - left.withoutUnderscoresAtStart.count
        return dropLast(letters.count - left.count).dropFirst(start)
    }

    func place(in words: CandidateWords) -> Int? {
        words.place(ofCore: KeyedName(withoutUnderscoresAround.letters), beside: joint)
    }
}
