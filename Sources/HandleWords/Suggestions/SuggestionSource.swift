package import HandleRules

/// Makes candidates for suggestions from the wanted name and, if known, the person's own name.
///
/// Every candidate is well formed, no two are equal, and none looks like the wanted handle. The caller checks whether a
/// candidate is reserved or taken. Candidates are made one at a time: most of the hundreds of possible ones are never
/// needed.
package struct SuggestionSource: Sendable {
    /// The wanted name, as it was given.
    let wanted: [UInt8]
    /// The wanted name in letters and digits, capitals kept.
    private let stem: Stem
    /// The parts of the stem or, when known, of the person's name: `John`, `Doe`.
    package let parts: [[UInt8]]
    private let namesPerson: Bool
    /// The look-alike key that no candidate may have.
    var avoided: LookalikeKey?

    /// - Parameters:
    ///   - wanted: the wanted name in ASCII; characters that no handle has separate its parts.
    ///   - name: the words of the person's name in ASCII, first name first; empty if unknown.
    package init(wanted: some Sequence<UInt8>, name: [[UInt8]] = []) {
        self.wanted = Array(wanted)
        let wantedParts = Self.parts(of: wanted)
        let nameParts = name.map { word in word.filter(Rules.isLetter) }.filter { !$0.isEmpty }
        namesPerson = !nameParts.isEmpty
        parts = namesPerson ? nameParts : wantedParts
        stem = Stem(Array((wantedParts.isEmpty ? nameParts : wantedParts).joined()))
        avoided = PackedASCII(wanted).flatMap(DisplayHandle.init).map { LookalikeKey($0.handle) }
    }

    /// At most `limit` candidates close to the name, from each method in turn. The same `seed` gives the same
    /// candidates.
    /// - Parameter isWanted: refuses candidates. If it refuses more than four times `limit`, there may be fewer.
    package func candidates(
        limit: Int, seed: UInt64, where isWanted: (Handle) -> Bool = { _ in true }
    ) -> [Suggestion] {
        var random = SeededGenerator(seed: seed)
        return take(limit, from: near(using: &random), where: isWanted)
    }

    /// At most `limit` of many thousand candidates farther from the name, for when the close ones are taken.
    /// - Parameter isWanted: refuses candidates. If it refuses more than four times `limit`, there may be fewer.
    package func fartherCandidates(
        limit: Int, seed: UInt64, where isWanted: (Handle) -> Bool = { _ in true }
    ) -> [Suggestion] {
        var random = SeededGenerator(seed: seed)
        return take(limit, from: far(using: &random), where: isWanted)
    }

    /// Refused candidates for each wanted one, after which there are no more: the search must end soon even if nearly all
    /// are refused.
    private static let patience = 4

    private func take(_ limit: Int, from methods: [Queue], where isWanted: (Handle) -> Bool) -> [Suggestion] {
        var queues = methods
        var refused = 0
        var found: [Suggestion] = []
        found.reserveCapacity(limit)
        while found.count < limit, !queues.isEmpty {
            for index in queues.indices where found.count < limit {
                guard let display = queues[index].next().flatMap(display),
                    !found.contains(where: { $0.handle == display.handle })
                else { continue }
                guard isWanted(display.handle) else {
                    refused += 1
                    if refused > limit * Self.patience { return found }
                    continue
                }
                found.append(Suggestion(display: display, method: queues[index].method))
            }
            queues.removeAll(where: \.isEmpty)
        }
        return found
    }

    /// The spelling as a display handle, or nil when it breaks a rule or looks like the wanted name.
    private func display(_ spelling: PackedASCII) -> DisplayHandle? {
        guard let display = DisplayHandle(spelling) else { return nil }
        return LookalikeKey(display.handle) == avoided ? nil : display
    }

    // MARK: The methods, in the order in which they take turns

    private func near(using random: inout SeededGenerator) -> [Queue] {
        var queues: [Queue] = []
        if !stem.isEmpty {
            queues += fromParts
            let words = [
                beside(.word, SuggestionWords.qualities, SuggestionWords.things, &random),
                beside(.affix, SuggestionWords.before, SuggestionWords.after, &random),
            ]
            queues += Bool.random(using: &random) ? words : words.reversed()
            if stem.canBeAbbreviated { queues.append(Queue(.abbreviation, [[stem.consonants]])) }
            queues.append(numbered(SuggestionWords.numbers, atMost: 12, &random))
        }
        return queues + [fresh(&random)]
    }

    private func far(using random: inout SeededGenerator) -> [Queue] {
        var queues = [farFresh(&random)]
        if !stem.isEmpty {
            queues.insert(numbered(SuggestionWords.longNumbers, &random), at: 0)
            queues.insert(wordAndNumber(&random), at: 0)
        }
        return queues
    }

    /// Candidates from first and last name, as far as they are known.
    private var fromParts: [Queue] {
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return [] }
        let line: PackedASCII = "_"
        let (whole, end) = (PackedASCII(first), PackedASCII(last))
        let (head, tail) = (PackedASCII(first.prefix(1)), PackedASCII(last.prefix(1)))
        let heads = PackedASCII(parts.dropLast().compactMap(\.first))
        let names = namesPerson ? [Queue(.firstLast, [[whole, end], [end, whole]])] : []
        return names + [
            Queue(
                .initials,
                [
                    [heads, end], [whole, tail], [heads, line, end], [whole, line, tail], [tail, whole], [head, end],
                ]),
            Queue(.separator, [[whole, line, end], [end, line, whole]]),
        ]
    }

    private func beside(
        _ method: Suggestion.Method, _ before: [PackedASCII], _ after: [PackedASCII], _ random: inout SeededGenerator
    ) -> Queue {
        Queue(method, Shuffle(before.count + after.count, using: &random)) { [stem] index in
            let isBefore = index < before.count
            let word = isBefore ? before[index] : after[index - before.count]
            let rest = stem.fitted(besides: word.count + 1)
            return isBefore ? join(word, "_", rest) : join(rest, "_", word)
        }
    }

    private func numbered(
        _ numbers: [PackedASCII], atMost limit: Int = .max, _ random: inout SeededGenerator
    ) -> Queue {
        // A number directly after a digit would read as another number.
        let gap: PackedASCII = stem.endsInDigit ? "_" : ""
        return Queue(.number, Shuffle(numbers.count, using: &random), atMost: limit) { [stem] index in
            join(stem.fitted(besides: numbers[index].count + 1), gap, numbers[index])
        }
    }

    private func wordAndNumber(_ random: inout SeededGenerator) -> Queue {
        let (words, numbers) = (SuggestionWords.qualities, SuggestionWords.numbers)
        return Queue(.word, Shuffle(words.count * numbers.count, using: &random)) { [stem] index in
            let (word, number) = (words[index % words.count], numbers[index / words.count])
            return join(word, "_", stem.fitted(besides: word.count + 1 + number.count), number)
        }
    }

    private func fresh(_ random: inout SeededGenerator) -> Queue {
        let (qualities, things) = (SuggestionWords.qualities, SuggestionWords.things)
        return Queue(.fresh, Shuffle(qualities.count * things.count, using: &random)) { index in
            join(qualities[index % qualities.count], "_", things[index / qualities.count])
        }
    }

    private func farFresh(_ random: inout SeededGenerator) -> Queue {
        let (qualities, things) = (SuggestionWords.qualities, SuggestionWords.things)
        let numbers = SuggestionWords.numbers
        let pairs = qualities.count * things.count
        return Queue(.fresh, Shuffle(pairs * numbers.count, using: &random)) { index in
            let pair = index % pairs
            return join(
                qualities[pair % qualities.count], "_", things[pair / qualities.count], numbers[index / pairs])
        }
    }

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

/// The parts one after the other, or nil when they don't fit.
private func join(_ parts: PackedASCII...) -> PackedASCII? { join(parts) }

private func join(_ parts: [PackedASCII?]) -> PackedASCII? {
    var joined = PackedASCII()
    for part in parts {
        guard let part, let longer = joined.joined(with: part) else { return nil }
        joined = longer
    }
    return joined
}

/// The candidates of one method, made on request.
private struct Queue {
    let method: Suggestion.Method
    private let order: Shuffle?
    private let count: Int
    private let make: (Int) -> PackedASCII?
    private var taken = 0

    init(
        _ method: Suggestion.Method, _ order: Shuffle, atMost limit: Int = .max,
        _ make: @escaping (_ index: Int) -> PackedASCII?
    ) {
        self.method = method
        self.order = order
        self.make = make
        count = min(order.count, limit)
    }

    /// A few spellings, best first. A part that is nil does not fit.
    init(_ method: Suggestion.Method, _ spellings: [[PackedASCII?]]) {
        self.method = method
        order = nil
        count = spellings.count
        make = { join(spellings[$0]) }
    }

    var isEmpty: Bool { taken >= count }

    /// The next spelling; nil when it does not fit, or there are no more.
    mutating func next() -> PackedASCII? {
        guard !isEmpty else { return nil }
        defer { taken += 1 }
        return make(order?[taken] ?? taken)
    }
}

/// A permutation of the numbers below `count` without a list of them: it starts at a random number and goes on in steps
/// that have no factor in common with `count`, so that each number comes once.
private struct Shuffle {
    let count: Int
    private let start: Int
    private let step: Int

    init(_ count: Int, using random: inout SeededGenerator) {
        self.count = count
        start = Int.random(in: 0..<count, using: &random)
        var step = Int.random(in: 1...count, using: &random)
        while Self.commonFactor(step, count) > 1 { step = step % count + 1 }
        self.step = step
    }

    subscript(index: Int) -> Int { (start + index * step) % count }

    private static func commonFactor(_ first: Int, _ second: Int) -> Int {
        var (first, second) = (first, second)
        while second > 0 { (first, second) = (second, first % second) }
        return first
    }
}
