@testable import HandleRules
@testable import HandleWords

/// A name that imitates a reserved word as impersonators do.
struct Disguise: Hashable, Sendable {
    /// How a disguise differs from its word.
    enum Kind: String, Sendable, CaseIterable {
        /// A digit for one letter: `adm1n`.
        case digit
        /// A digit for every letter that looks like one: `4dm1n`.
        case digits
        /// Another letter of the same look: `maii` for `mail`.
        case letter
        /// Two letters for one, or one for two: `adrnin`, `vvebsite`.
        case pair
        /// Two of the above.
        case mixture
        /// An underscore inside the word or at its end: `ad_min`.
        case underscore
        /// One letter doubled, or one of two left out: `addmin`, `suport`.
        case doubled
        /// One to four digits at the end, with or without an underscore before them: `admin99`.
        case number
        /// `real_admin`, `theadmin`.
        case prefix
        /// `admin_team`, `adminhelp`.
        case suffix
    }

    let kind: Kind
    /// A legal handle.
    let name: PackedASCII

    /// The most disguises of one kind. A longer word has dozens.
    static let mostOfAKind = 4

    /// Disguises of a word that its match should refuse: none for `exact`; look-alikes for `lookalike`, `authority` and
    /// `affix`, but not of short words of the kind `authority`; with a strong affix for `authority` and `affix`; with any
    /// affix, a number or a doubled letter for `affix`; with digits for letters, an underscore or a number for `whole` and
    /// `inside`, and with any affix for `inside`.
    ///
    /// They are chosen by their hash. So they are the same in every run, and are spread over all letters and affixes.
    static func all(of word: ReservedWord) -> [Disguise] {
        guard word.match != .exact, let maker = DisguiseMaker(word) else { return [] }
        return Kind.allCases.flatMap { kind in
            let names = Set(maker.names(of: kind).compactMap { PackedASCII($0) }).subtracting([word.word])
            let chosen = names.filter { Handle($0) != nil }.map { (name: $0, hash: hash($0)) }
                .sorted { $0.hash < $1.hash }.prefix(mostOfAKind)
            return chosen.map { Disguise(kind: kind, name: $0.name) }
        }
    }

    private static func hash(_ name: PackedASCII) -> UInt64 {
        var generator = SeededGenerator(seed: SeededGenerator.seed(from: name.bytes))
        return generator.next()
    }
}

/// Writes a word as impersonators would. The limits are those that ``ReservedWord/Match`` and ``Likeness`` promise.
private struct DisguiseMaker {
    private let word: ReservedWord
    /// The word as spelled, and without underscores.
    private let spelled: [UInt8]
    private let bare: [UInt8]

    /// A part of the word in other letters.
    private struct Swap {
        let range: Range<Int>
        let letters: [UInt8]
    }

    // Not those of the matching, so that a fault there shows.

    /// A shorter word needs more evidence of a disguise.
    private static let shortestWithoutEvidence = 4
    /// A shorter word of the kind `authority` has no look-alikes, and stands beside an affix only across an underscore.
    private static let shortestAuthority = 5

    /// Nil for a word of underscores.
    init?(_ word: ReservedWord) {
        self.word = word
        spelled = word.word.bytes
        bare = word.word.withoutUnderscores.bytes
        if bare.isEmpty { return nil }
    }

    private var isOnlySpelled: Bool { word.match == .authority && bare.count < Self.shortestAuthority }
    /// A digit of a word is that digit, so nothing else looks like such a word. Nor has a word look-alikes that is only
    /// matched as it is spelled.
    private var hasLookalikes: Bool { !isOnlySpelled && !isByLetters && !bare.contains(where: Rules.isDigit) }
    /// Of such a word, only digits stand for letters.
    private var isByLetters: Bool { word.match == .whole || word.match == .inside }
    private var mayHaveDigits: Bool { hasLookalikes || isByLetters }
    private var hasAllAffixes: Bool { word.match == .affix }
    private var isShort: Bool { bare.count < Self.shortestWithoutEvidence }

    /// - Returns: the names, some of which may be no legal handles, or the word itself.
    func names(of kind: Disguise.Kind) -> [[UInt8]] {
        switch kind {
        case .digit: mayHaveDigits ? digits.map { applying([$0]) } : []
        case .digits: mayHaveDigits && digits.count > 1 ? [applying(digits)].filter(isReadable) : []
        case .letter: hasLookalikes && !isShort ? others.map { applying([$0]) } : []
        case .pair: hasLookalikes ? pairs.map { applying([$0]) } : []
        case .mixture: mayHaveDigits ? mixtures.filter(isReadable) : []
        case .underscore: isOnlySpelled ? [] : underscores.map { applying([$0]) }
        case .doubled: hasAllAffixes && !isShort ? doubled : []
        case .number: hasAllAffixes || isByLetters ? numbers.map { spelled + $0.utf8 } : []
        case .prefix: affixed(Affixes.weakPrefixes) { $0 + $1 + spelled }
        case .suffix: affixed(Affixes.weakSuffixes) { spelled + $1 + $0 }
        }
    }

    /// Of a word that is matched by its letters, most letters must be letters, and several digits at the end are a number.
    private func isReadable(_ name: [UInt8]) -> Bool {
        let digits = name.count(where: Rules.isDigit)
        return !isByLetters || 2 * digits < name.count && !name.suffix(2).allSatisfy(Rules.isDigit)
    }

    /// Applies swaps that don't overlap.
    private func applying(_ swaps: [Swap]) -> [UInt8] {
        var name = bare
        for swap in swaps.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            name.replaceSubrange(swap.range, with: swap.letters)
        }
        return name
    }

    private func swaps(_ table: [(String, String)]) -> [Swap] {
        table.flatMap { from, to in
            let from = Array(from.utf8)
            return bare.indices.filter { bare[$0...].starts(with: from) }
                .map { Swap(range: $0..<$0 + from.count, letters: Array(to.utf8)) }
        }
    }

    private var digits: [Swap] {
        swaps([
            ("a", "4"), ("b", "8"), ("e", "3"), ("g", "9"), ("i", "1"), ("l", "1"), ("o", "0"), ("q", "9"), ("s", "5"),
            ("t", "7"), ("z", "2"),
        ])
    }

    private var others: [Swap] { swaps([("i", "l"), ("l", "i"), ("g", "q"), ("q", "g")]) }

    private var underscores: [Swap] { (1...bare.count).map { Swap(range: $0..<$0, letters: [Rules.underscore]) } }

    private var pairs: [Swap] {
        swaps([
            ("m", "rn"), ("d", "cl"), ("d", "ci"), ("w", "vv"), ("rn", "m"), ("cl", "d"), ("ci", "d"), ("vv", "w"),
        ])
    }

    /// Each swap with one other, from the middle of the rest.
    private var mixtures: [[UInt8]] {
        let swaps = digits + (isByLetters ? [] : pairs + (isShort ? [] : others))
        return swaps.indices.compactMap { index in
            let following = swaps[(index + 1)...] + swaps[..<index]
            let others = following.filter { !$0.range.overlaps(swaps[index].range) }
            return others.isEmpty ? nil : applying([swaps[index], others[others.count / 2]])
        }
    }

    private var doubled: [[UInt8]] {
        var names: [[UInt8]] = []
        for (index, letter) in bare.enumerated() where Rules.isLetter(letter) {
            names.append(applying([Swap(range: index..<index, letters: [letter])]))
            if index > 0, bare[index - 1] == letter {
                names.append(applying([Swap(range: index..<index + 1, letters: [])]))
            }
        }
        return names
    }

    /// Up to four digits; directly after a short word up to three.
    private var numbers: [String] {
        ["1", "7", "22", "99", "007", "365", "_1990", "_2024"] + (isShort && !isByLetters ? [] : ["1234", "2025"])
    }

    /// Each affix with an underscore beside the word, and without where that is enough.
    private func affixed(_ weak: [PackedASCII], _ join: ([UInt8], [UInt8]) -> [UInt8]) -> [[UInt8]] {
        let (across, direct): ([PackedASCII], [PackedASCII])
        switch word.match {
        case .exact, .lookalike, .whole: return []
        case .inside: (across, direct) = (Affixes.strong + weak, Affixes.strong + weak)
        case .authority: (across, direct) = (Affixes.strong, isOnlySpelled ? [] : Affixes.strong)
        case .affix: (across, direct) = (Affixes.strong + weak, Affixes.strong + (isShort ? [] : weak))
        }
        return direct.map { join($0.bytes, []) } + across.map { join($0.bytes, [Rules.underscore]) }
    }
}

extension PackedASCII {
    fileprivate var bytes: [UInt8] { (0..<count).map { self[$0] } }
}
