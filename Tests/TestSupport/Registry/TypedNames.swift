import HandleRules
import HandleWords

/// Random text as people might type it for a name: a third well formed, a third nearly well formed, a third arbitrary.
package struct TypedNames {
    private var random: SeededGenerator

    package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".unicodeScalars)
    /// Scalars that fold to ASCII, white space, and scalars similar to both.
    private static let odd = Array(
        "@.-+ \t\u{0}ＡｚＺ０９＿．＠　\u{212A}\u{37E}\u{1FEF}\u{A0}\u{2003}\u{85}éаıİſßﬁ\u{301}\u{200D}\u{FEFF}ｶ＀｡"
            .unicodeScalars)
    private static let ranges: [ClosedRange<UInt32>] = [
        0...0x7F, 0x80...0x24F, 0x300...0x36F, 0x400...0x4FF, 0x1F00...0x1FFF, 0x2000...0x212F, 0x3000...0x30FF,
        0xAC00...0xAC20, 0xE000...0xE0FF, 0xFF00...0xFFEF, 0x1F600...0x1F64F, 0x10FF00...0x10FFFF,
    ]

    package mutating func next() -> String {
        var text = String.UnicodeScalarView()
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            for _ in 0..<Int.random(in: 3...15, using: &random) { text.append(letter()) }
        case 1:
            for _ in 0..<Int.random(in: 0...18, using: &random) {
                text.append(Int.random(in: 0..<6, using: &random) == 0 ? pick(Self.odd) : letter())
            }
        default:
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                let range = Self.ranges[Int.random(in: 0..<Self.ranges.count, using: &random)]
                if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.append(scalar) }
            }
        }
        return String(text)
    }

    private mutating func letter() -> Unicode.Scalar { pick(Self.letters) }

    private mutating func pick(_ scalars: [Unicode.Scalar]) -> Unicode.Scalar {
        scalars[Int.random(in: 0..<scalars.count, using: &random)]
    }
}
