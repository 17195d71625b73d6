/// What impersonators put before and after a word: `real_admin`, `theadmin`, `admin_team`, `admin2`.
struct Affixes: Sendable {
    /// Prefixes by their first byte, suffixes by their last.
    private let prefixes: [[Affix]]
    private let suffixes: [[Affix]]

    private struct Affix: Sendable {
        let letters: PackedASCII
        /// Whether it says by itself that somebody claims authority, so that it needs no underscore at a short word.
        let isStrong: Bool
    }

    /// More digits than these at the end of a name are somebody's number, not a disguise.
    private static let mostDigits = 4
    /// With so many digits right behind it, a short word still counts as one with a number.
    private static let mostDigitsAtShortWord = 3

    init() {
        prefixes = Self.grouped(
            [
                "the", "true", "actual", "genuine", "original", "only", "my", "our", "your", "iam", "im", "its",
                "itsme", "this_is", "super", "chief", "senior", "global", "new", "ask", "contact", "hey", "hello",
                "live", "app", "web",
            ]) { $0.first }
        suffixes = Self.grouped(
            [
                "teams", "desk", "helpdesk", "service", "services", "center", "centre", "care", "account", "accounts",
                "online", "live", "bot", "app", "hq", "inc", "llc", "ltd", "corp", "co", "org", "net", "com", "io",
                "global", "world", "info", "contact", "here", "user", "only", "dept", "office", "chat", "mail", "news",
                "page", "group",
            ]) { $0.last }
    }

    private static let strong: [PackedASCII] = ["real", "official", "verified", "team", "support", "help", "staff"]

    private static func grouped(_ weak: [PackedASCII], by end: (PackedASCII) -> UInt8?) -> [[Affix]] {
        var groups = [[Affix]](repeating: [], count: 0x80)
        for (list, isStrong) in [(strong, true), (weak, false)] {
            for letters in list.map(\.folded) {
                groups[Int(end(letters) ?? 0)].append(Affix(letters: letters, isStrong: isStrong))
            }
        }
        return groups
    }

    /// What is asked about a core: whether it is a word.
    ///
    /// A joint, that is an underscore or a strong affix beside it, makes it plain that the core is a word of its own:
    /// a short word needs one, or `ad` would be found in `adhere`.
    typealias Find<Found> = (_ core: PackedASCII, _ folded: PackedASCII, _ hasJoint: Bool) -> Found?

    /// The first result of `find` among the cores of `letters`: what is left when a prefix, a suffix, digits at the end
    /// or several of them are taken off.
    func firstCore<Found>(of letters: PackedASCII, folded: PackedASCII, where find: Find<Found>) -> Found? {
        let whole = Part(letters: letters, folded: folded, hasJoint: true)
        var bare = whole.withoutUnderscoresAround
        if bare.letters.count < letters.count, let found = bare.ask(find) { return found }
        var digits = 0
        while let last = bare.letters.last, Rules.isDigit(last), digits < Self.mostDigits {
            digits += 1
            bare = bare.dropLast(1)
            bare.hasJoint = bare.letters.last == Rules.underscore || digits <= Self.mostDigitsAtShortWord
            if let found = bare.ask(find) { return found }
        }
        if let found = search(whole, find) { return found }
        if digits == 0 { return nil }
        bare.hasJoint = true
        return search(bare.withoutUnderscoresAround, find)
    }

    private func search<Found>(_ part: Part, _ find: Find<Found>) -> Found? {
        if let found = searchSuffixes(part, find) { return found }
        for prefix in prefixes[Int(part.folded[0])] where part.folded.hasPrefix(prefix.letters) {
            var rest = part.dropFirst(prefix.letters.count)
            guard rest.letters.count > 1 else { continue }
            rest.hasJoint = prefix.isStrong || rest.letters[0] == Rules.underscore
            if let found = rest.ask(find) ?? searchSuffixes(rest, find) { return found }
        }
        return nil
    }

    private func searchSuffixes<Found>(_ part: Part, _ find: Find<Found>) -> Found? {
        for suffix in suffixes[Int(part.folded.last ?? 0)] where part.folded.hasSuffix(suffix.letters) {
            var rest = part.dropLast(suffix.letters.count)
            guard rest.letters.count > 1 else { continue }
            rest.hasJoint = part.hasJoint && (suffix.isStrong || rest.letters.last == Rules.underscore)
            if let found = rest.ask(find) { return found }
        }
        return nil
    }
}

/// A stretch of a name, as it is spelled and folded.
private struct Part {
    let letters: PackedASCII
    let folded: PackedASCII
    var hasJoint: Bool

    func dropFirst(_ number: Int) -> Part {
        Part(letters: letters.slice(from: number), folded: folded.slice(from: number), hasJoint: hasJoint)
    }

    func dropLast(_ number: Int) -> Part {
        let length = letters.count - number
        return Part(
            letters: letters.slice(from: 0, length: length), folded: folded.slice(from: 0, length: length),
            hasJoint: hasJoint)
    }

    var withoutUnderscoresAround: Part {
        guard letters.first == Rules.underscore || letters.last == Rules.underscore else { return self }
        var start = 0
        var end = letters.count
        while start < end, letters[start] == Rules.underscore { start += 1 }
        while end > start, letters[end - 1] == Rules.underscore { end -= 1 }
        return dropLast(letters.count - end).dropFirst(start)
    }

    func ask<Found>(_ find: Affixes.Find<Found>) -> Found? {
        let core = withoutUnderscoresAround
        return find(core.letters, core.folded, hasJoint)
    }
}
