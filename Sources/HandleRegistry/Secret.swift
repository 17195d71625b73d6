/// Secrets that the program makes up.
public enum Secret {
    /// `prefix` and 160 random bits in the base 32 of RFC 4648, in lowercase: 32 letters of 5 bits.
    public static func random(prefix: String) -> String {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        return prefix + String((0..<32).map { _ in alphabet[Int.random(in: 0..<32, using: &random)] })
    }
}
