/// Makes candidates for suggestions from what a person wanted and, if known, what the person is called.
///
/// Every candidate is well formed, no two are the same, and none looks like the wanted handle itself. Whether one is
/// reserved or taken is for the caller to find out.
public struct SuggestionSource: Sendable {
    /// The wanted name in letters, digits and underscores, capitals kept; any length.
    private let stem: [UInt8]
    /// The parts of the stem or, when known, of the person's name: `John`, `Doe`.
    private let parts: [[UInt8]]
    private let namesPerson: Bool
    /// What no candidate may look like.
    private let avoided: LookalikeKey?

    /// - Parameters:
    ///   - wanted: what was asked for, in ASCII; characters that no handle has separate its parts.
    ///   - name: the words of the person's name in ASCII, first name first; empty when not known.
    public init(wanted: some Sequence<UInt8>, name: [[UInt8]] = []) {
        let wantedParts = Self.parts(of: wanted)
        let nameParts = name.map { word in word.filter(Rules.isLetter) }.filter { !$0.isEmpty }
        namesPerson = !nameParts.isEmpty
        parts = namesPerson ? nameParts : wantedParts
        let joined = Array(wantedParts.joined())
        stem = joined.isEmpty ? Array(nameParts.joined()) : joined
        avoided = PackedASCII(wanted).flatMap(DisplayHandle.init).map { LookalikeKey($0.handle) }
    }

    /// At most `limit` candidates, the methods taking turns; the same for the same `seed`.
    public func candidates(limit: Int, seed: UInt64) -> [Suggestion] {
        var random = SeededGenerator(seed: seed)
        var queues = methods(using: &random)
        var found: [Suggestion] = []
        var seen: Set<Handle> = []
        while found.count < limit, !queues.isEmpty {
            for index in queues.indices.reversed() where queues[index].spellings.isEmpty { queues.remove(at: index) }
            for index in queues.indices where found.count < limit {
                guard let spelling = queues[index].spellings.popLast(), let display = display(spelling),
                    seen.insert(display.handle).inserted
                else { continue }
                found.append(Suggestion(display: display, method: queues[index].method))
            }
        }
        return found
    }

    private typealias Queue = (method: Suggestion.Method, spellings: [[UInt8]])

    /// What each method has to offer, the best last, in the order in which the methods take turns.
    private func methods(using random: inout SeededGenerator) -> [Queue] {
        var queues: [Queue] = []
        if !stem.isEmpty {
            let words: [Queue] = [
                (.word, beside(SuggestionWords.qualities, SuggestionWords.things).shuffled(using: &random)),
                (.affix, beside(SuggestionWords.before, SuggestionWords.after).shuffled(using: &random)),
            ]
            queues += [(.firstLast, firstLast), (.initials, initials)]
            queues += Bool.random(using: &random) ? words : words.reversed()
            queues += [(.separator, separated), (.abbreviation, abbreviations)]
            queues += [(.number, numbered(using: &random))]
        }
        return queues + [(.fresh, fresh(using: &random))]
    }

    // MARK: The methods

    private var firstLast: [[UInt8]] {
        guard namesPerson, let first = parts.first, let last = parts.last, parts.count > 1 else { return [] }
        return [last + first, first + last]
    }

    private var initials: [[UInt8]] {
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return [] }
        let heads = parts.dropLast().compactMap(\.first)
        return [
            [last[0]] + first, first + underscore + [last[0]], heads + underscore + last, first + [last[0]],
            heads + last,
        ]
    }

    private var separated: [[UInt8]] {
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return [] }
        return [last + underscore + first, first + underscore + last]
    }

    private var abbreviations: [[UInt8]] {
        let consonants = withoutVowels(stem)
        guard consonants.count >= Rules.length.lowerBound, consonants != stem else { return [] }
        return [consonants]
    }

    private func numbered(using random: inout SeededGenerator) -> [[UInt8]] {
        SuggestionWords.numbers.shuffled(using: &random).prefix(12).map { number in
            let digits = Array(String(number).utf8)
            // A number after a digit reads as another number.
            let needsGap = stem.last.map(Rules.isDigit) ?? false
            return fitted(stem, besides: digits.count + 1) + (needsGap ? underscore : []) + digits
        }
    }

    private func beside(_ before: [StaticString], _ after: [StaticString]) -> [[UInt8]] {
        before.map { word in
            bytes(word) + underscore + fitted(stem, besides: word.utf8CodeUnitCount + 1)
        }
            + after.map { word in
                fitted(stem, besides: word.utf8CodeUnitCount + 1) + underscore + bytes(word)
            }
    }

    private func fresh(using random: inout SeededGenerator) -> [[UInt8]] {
        let qualities = SuggestionWords.qualities.shuffled(using: &random)
        let things = SuggestionWords.things.shuffled(using: &random)
        return zip(qualities, things).map { bytes($0) + underscore + bytes($1) }
    }

    // MARK: Fitting

    /// The spelling as a display handle, or nil when it breaks a rule or looks like what was wanted.
    private func display(_ spelling: [UInt8]) -> DisplayHandle? {
        guard let display = PackedASCII(spelling).flatMap(DisplayHandle.init) else { return nil }
        return LookalikeKey(display.handle) == avoided ? nil : display
    }

    /// `text` in the room that is left beside `taken` characters: whole, else without vowels, else cut.
    private func fitted(_ text: [UInt8], besides taken: Int) -> [UInt8] {
        let room = Rules.length.upperBound - taken
        if text.count <= room { return text }
        let consonants = withoutVowels(text)
        var cut = consonants.count <= room ? consonants : Array(text.prefix(room))
        while cut.last == Rules.underscore { cut.removeLast() }
        return cut
    }

    /// Vowels after the first letter left out.
    private func withoutVowels(_ text: [UInt8]) -> [UInt8] {
        text.prefix(1) + text.dropFirst().filter { !bytes("aeiouAEIOU").contains($0) }
    }

    private var underscore: [UInt8] { [Rules.underscore] }

    private func bytes(_ word: StaticString) -> [UInt8] { word.withUTF8Buffer(Array.init) }

    /// Splits at every character that no handle has, at underscores, and where a capital follows a small letter.
    private static func parts(of text: some Sequence<UInt8>) -> [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        var previous: UInt8 = 0
        for byte in text {
            let isCapital = byte &- UInt8(ascii: "A") < 26
            let followsSmall = previous &- UInt8(ascii: "a") < 26
            if !Rules.isAllowed(byte) || byte == Rules.underscore {
                parts.append([])
            } else if isCapital && followsSmall {
                parts.append([byte])
            } else {
                parts[parts.count - 1].append(byte)
            }
            previous = byte
        }
        return parts.filter { !$0.isEmpty }
    }
}
