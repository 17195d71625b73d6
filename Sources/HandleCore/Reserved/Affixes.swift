/// What impersonators put before and after a word: `real_admin`, `theadmin`, `admin_team`, `admin2`.
enum Affixes {
    private static let prefixes: [PackedASCII] = folded([
        "the", "real", "official", "true", "actual", "genuine", "original", "verified", "only", "my", "our", "your",
        "mr", "mrs", "ms", "dr", "iam", "im", "its", "itsme", "this_is", "not", "super", "head", "chief", "lead",
        "senior", "global", "new", "old", "ask", "contact", "hey", "hello", "team", "help", "live", "app", "web", "x",
    ])

    private static let suffixes: [PackedASCII] = folded([
        "team", "teams", "support", "official", "real", "help", "desk", "helpdesk", "staff", "service", "services",
        "center", "centre", "care", "account", "accounts", "online", "live", "bot", "app", "hq", "inc", "llc", "ltd",
        "corp", "co", "org", "net", "com", "io", "global", "world", "info", "contact", "here", "user", "s", "x",
        "verified", "only", "dept", "office", "chat", "mail", "news", "page", "group", "person", "guy",
    ])

    /// The first result of `find` among the cores of `letters`: what is left when a prefix, a suffix, trailing digits
    /// or several of them are taken off. The letters as a whole are not asked for unless digits were taken off.
    static func firstCore<Found>(of letters: PackedASCII, where find: (PackedASCII) -> Found?) -> Found? {
        let bare = letters.trimmingTrailing(where: { Rules.isDigit($0) || $0 == Rules.underscore })
        if bare.count < letters.count, let found = search(bare, asWell: true, find) { return found }
        return search(letters, asWell: false, find)
    }

    private static func search<Found>(
        _ letters: PackedASCII, asWell whole: Bool, _ find: (PackedASCII) -> Found?
    ) -> Found? {
        guard !letters.isEmpty else { return nil }
        if whole, let found = find(letters) { return found }
        let folded = letters.folded
        if let found = searchSuffixes(of: folded, find) { return found }
        for prefix in prefixes where folded.hasPrefix(prefix) && folded.count > prefix.count + 1 {
            let rest = folded.slice(from: prefix.count)
            if let found = find(rest) ?? searchSuffixes(of: rest, find) { return found }
        }
        return nil
    }

    private static func searchSuffixes<Found>(
        of folded: PackedASCII, _ find: (PackedASCII) -> Found?
    ) -> Found? {
        for suffix in suffixes where folded.count > suffix.count + 1 && folded.hasSuffix(suffix) {
            if let found = find(folded.slice(from: 0, length: folded.count - suffix.count)) { return found }
        }
        return nil
    }

    private static func folded(_ affixes: [PackedASCII]) -> [PackedASCII] { affixes.map(\.folded) }
}

extension PackedASCII {
    /// Each byte as the one that stands for its look-alike class, none dropped.
    fileprivate var folded: PackedASCII {
        var folded = PackedASCII()
        for index in 0..<count { folded.append(LookalikeKey.fold(self[index])) }
        return folded
    }

    fileprivate func trimmingTrailing(where isDropped: (UInt8) -> Bool) -> PackedASCII {
        var kept = count
        while kept > 0, isDropped(self[kept - 1]) { kept -= 1 }
        return slice(from: 0, length: kept)
    }
}
