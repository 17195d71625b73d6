import HandleRules
import HandleWords

extension Handle {
    /// Random numbers that depend on the handle alone, to place it in a table.
    var hashes: SeededGenerator {
        let (high, low) = letters.words
        return SeededGenerator(seed: high ^ low &* 0x9E37_79B9_7F4A_7C15)
    }
}
