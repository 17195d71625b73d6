import Foundation
import HandleRules
import HandleWords
import TestSupport
import Testing

/// Apps read names without ICU, and the service reads them with it. Both must agree.
@Suite struct ReadingFoldingTests {
    private static let longRun = ProcessInfo.processInfo.environment["HANDLES_TEST_NAMES"].flatMap { Int($0) }

    /// Each scalar is tried between two letters and in front of a name. The test covers all scalars of the planes that
    /// have characters with decompositions, and every 61st of the others; all of them with `HANDLES_TEST_NAMES`.
    @Test func everyScalarIsReadAlikeWithAndWithoutICU() {
        let step = Self.longRun == nil ? 61 : 1
        let values = [0...0x2FFFF, 0x30000...0x10FFFF].flatMap { (range: ClosedRange<UInt32>) in
            Array(stride(from: range.lowerBound, through: range.upperBound, by: range.lowerBound == 0 ? 1 : step))
        }
        for scalar in values.compactMap(Unicode.Scalar.init) {
            // White space is dropped only at the ends, and no white space is above U+FFFF.
            for typed in scalar.value < 0x10000 ? ["a\(scalar)b", "\(scalar)abc"] : ["a\(scalar)b"] {
                let (ours, theirs) = (Reading(folding: typed), Reading(typed: typed))
                guard ours.display != theirs.display || (theirs.isMadeOfASCII && ours.reasons != theirs.reasons) else {
                    continue
                }
                Issue.record("\(typed) U+\(String(scalar.value, radix: 16)): \(ours.reasons), \(theirs.reasons)")
                return
            }
        }
    }

    /// Well-formed names, nearly well-formed ones, and any text. `HANDLES_TEST_NAMES` sets their number, such as
    /// 1,000,000; 50,000 by default.
    @Test func randomNamesAreReadAlikeWithAndWithoutICU() throws {
        let count = Self.longRun ?? 50_000
        var names = TypedNames(seed: 14)
        var wellFormed = 0
        var comparable = 0
        for _ in 0..<count {
            let typed = names.next()
            let (ours, theirs) = (Reading(folding: typed), Reading(typed: typed))
            try #require(ours.display == theirs.display, "\(typed.unicodeScalars.map(\.value))")
            if theirs.isWellFormed { wellFormed += 1 }
            guard theirs.isMadeOfASCII else { continue }
            comparable += 1
            try #require(ours.reasons == theirs.reasons, "\(typed.unicodeScalars.map(\.value))")
        }
        #expect(wellFormed > count / 10 && comparable > count / 4 && comparable < count)
    }
}

extension Reading {
    /// Whether every character that is not allowed is ASCII, after normalisation.
    fileprivate var isMadeOfASCII: Bool {
        reasons.allSatisfy { reason in
            if case .invalidCharacter(let character) = reason { character.scalar.isASCII } else { true }
        }
    }
}
