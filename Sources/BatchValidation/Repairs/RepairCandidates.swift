import HandleCore
import HandleText

/// Names that somebody could have in place of one that is refused, the nearest first. Each is well formed; whether it is
/// free is for the caller to find out.
struct RepairCandidates {
    private let source: SuggestionSource
    private let seed: UInt64

    /// - Parameters:
    ///   - input: the refused name, as it is in the file.
    ///   - number: of the row, so that rows with the same name are offered different ones.
    init(_ input: ArraySlice<UInt8>, number: Int, words: ReservedWords) {
        source = SuggestionSource(typed: String(decoding: input, as: UTF8.self), words: words)
        seed = SeededGenerator.seed(from: input) &+ UInt64(truncatingIfNeeded: number)
    }

    /// Fewer near the name at first, then more and farther ones.
    static let rounds = 3

    func names(ofRound round: Int) -> [DisplayHandle] {
        switch round {
        case 0: source.cleaned + source.candidates(limit: 6, seed: seed).map(\.display)
        case 1: source.fartherCandidates(limit: 12, seed: seed).map(\.display)
        default: source.fartherCandidates(limit: 96, seed: ~seed).map(\.display)
        }
    }
}
