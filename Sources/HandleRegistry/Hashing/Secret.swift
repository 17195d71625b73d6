/// Secrets made by the program.
enum Secret {
    /// `prefix` and 160 random bits in the base 32 of RFC 4648, in lowercase: 32 letters of 5 bits.
    static func random(prefix: String) -> String {
        var generator = SystemRandomNumberGenerator()
        return prefix + String((0..<32).map { _ in letters[Int.random(in: 0..<32, using: &generator)] })
    }

    /// The letters by the value of their 5 bits.
    static let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
}
