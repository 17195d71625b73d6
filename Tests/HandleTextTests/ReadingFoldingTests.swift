import Foundation
import HandleCore
import HandleText
import TestSupport
import Testing

/// Apps read names without ICU, and the service with it. Both must agree.
@Suite struct ReadingFoldingTests {
    private static let longRun = ProcessInfo.processInfo.environment["HANDLES_TEST_NAMES"].flatMap { Int($0) }

    /// Between two letters, and before a name. All scalars of the planes that have characters with decompositions, and some of
    /// the others; all of them with `HANDLES_TEST_NAMES`.
    @Test func everyScalarIsReadAlike() {
        let step = Self.longRun == nil ? 61 : 1
        let values = [0...0x2FFFF, 0x30000...0x10FFFF].flatMap { (range: ClosedRange<UInt32>) in
            Array(stride(from: range.lowerBound, through: range.upperBound, by: range.lowerBound == 0 ? 1 : step))
        }
        for scalar in values.compactMap(Unicode.Scalar.init) {
            // White space is dropped at the ends only, and there is none beyond.
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

    /// Well-formed names, nearly well-formed ones, and any text. `HANDLES_TEST_NAMES=1000000` takes more of them.
    @Test func randomNamesAreReadAlike() throws {
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
