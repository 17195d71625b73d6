import HandleRules
import HandleWords

/// Roughly realistic names: syllables, sometimes with a number. The same seed gives the same names.
struct NameSource {
    private var random: SeededGenerator
    private var seen: Set<Handle> = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Returns a name that was not returned before.
    mutating func next() -> DisplayHandle {
        while true {
            var letters = ""
            for _ in 0..<Int.random(in: 2...5, using: &random) {
                letters += Self.heads.randomElement(using: &random) ?? ""
                letters += Self.tails.randomElement(using: &random) ?? ""
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                letters += String(Int.random(in: 2..<1000, using: &random))
            }
            letters = letters.prefix(1).uppercased() + letters.dropFirst()
            guard let packed = PackedASCII(letters.utf8), let display = DisplayHandle(packed),
                seen.insert(display.handle).inserted
            else { continue }
            return display
        }
    }

    mutating func next(_ count: Int) -> [DisplayHandle] { (0..<count).map { _ in next() } }

    private static let heads = [
        "b", "br", "c", "ch", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v", "w", "z",
    ]
    private static let tails = ["a", "e", "i", "o", "u", "an", "en", "in", "on", "ar", "er", "el", "ia"]
}
