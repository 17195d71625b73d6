import HandleRules

/// Appends text as bytes, without making strings.
extension [UInt8] {
    mutating func add(text: StaticString) { text.withUTF8Buffer { append(contentsOf: $0) } }

    mutating func add(_ letters: PackedASCII) { letters.append(to: &self) }

    /// Appends the digits of a number that is not negative.
    mutating func add(_ number: Int) {
        var rest = number.magnitude
        let start = count
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }

    /// Appends `U+` and four to six hexadecimal digits.
    mutating func add(codepointOf scalar: Unicode.Scalar) {
        add(text: "U+")
        let digits = Swift.max(4, (35 - scalar.value.leadingZeroBitCount) / 4)
        for place in (0..<digits).reversed() {
            let digit = UInt8(truncatingIfNeeded: scalar.value >> UInt32(4 * place) & 0xF)
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
    }
}
