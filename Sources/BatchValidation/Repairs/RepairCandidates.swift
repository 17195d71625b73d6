import HandleCore
import HandleText

/// Names that somebody could have in place of one that is refused, the nearest first. Each is well formed; whether it is
/// free is for the caller to find out.
struct RepairCandidates {
    private let wanted: [UInt8]
    private let source: SuggestionSource
    private let seed: UInt64

    /// - Parameters:
    ///   - input: the refused name, as it is in the file.
    ///   - number: of the row, so that rows with the same name are offered different ones.
    init(_ input: ArraySlice<UInt8>, number: Int, words: ReservedWords) {
        let text = String(decoding: input, as: UTF8.self)
        let reading = Reading(typed: text)
        wanted = reading.spelling.map { Array($0.description.utf8) } ?? Transliteration.ascii(text)
        // What is made from a reserved word passes for it.
        let isReserved = reading.letters.flatMap(words.match) != nil
        source = SuggestionSource(wanted: isReserved ? [] : wanted)
        seed = SeededGenerator.seed(from: input) &+ UInt64(truncatingIfNeeded: number)
    }

    /// Fewer near the name at first, then more and farther ones.
    static let rounds = 3

    func names(ofRound round: Int) -> [DisplayHandle] {
        switch round {
        case 0: cleaned + source.candidates(limit: 6, seed: seed).map(\.display)
        case 1: source.fartherCandidates(limit: 12, seed: seed).map(\.display)
        default: source.fartherCandidates(limit: 96, seed: ~seed).map(\.display)
        }
    }

    /// The name itself without what no handle has: with underscores in the gaps, else without; and cut where it is long.
    private var cleaned: [DisplayHandle] {
        // What stands inside a word, as in O'Neill or for a soft sign, leaves no gap.
        let letters = wanted.filter { $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "`") }
        let parts = letters.split { !(isLetter($0) || isDigit($0)) }
        return [Array(parts.joined(separator: [UInt8(ascii: "_")])), Array(parts.joined())].compactMap { letters in
            PackedASCII(letters.prefix(Rules.length.upperBound)).flatMap(DisplayHandle.init)
        }
    }

    private func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
