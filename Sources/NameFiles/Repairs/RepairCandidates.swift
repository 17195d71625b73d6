import HandleRules
import HandleWords

/// Candidates to replace a refused name, the nearest first. Each is well formed; the caller checks whether it is free.
struct RepairCandidates {
    private let source: SuggestionSource
    private let seed: UInt64

    /// - Parameters:
    ///   - input: the refused name, as in the file.
    ///   - number: the row's number, so that rows with the same name get different candidates.
    init(_ input: ArraySlice<UInt8>, number: Int, words: ReservedWords) {
        source = SuggestionSource(typed: String(decoding: input, as: UTF8.self), words: words)
        seed = SeededGenerator.seed(from: input) &+ UInt64(truncatingIfNeeded: number)
    }

    /// The first round has few candidates close to the name; later rounds have more and remoter ones.
    static let rounds = 3

    func names(ofRound round: Int) -> [DisplayHandle] {
        switch round {
        case 0: source.cleaned + source.candidates(limit: 6, seed: seed).map(\.display)
        case 1: source.fartherCandidates(limit: 12, seed: seed).map(\.display)
        default: source.fartherCandidates(limit: 96, seed: ~seed).map(\.display)
        }
    }
}
