import HandleRules

/// Appends text as bytes.
extension [UInt8] {
    mutating func add(text: StaticString) { text.withUTF8Buffer { append(contentsOf: $0) } }

    mutating func add(_ letters: PackedASCII) { letters.append(to: &self) }

    mutating func add(_ number: Int) { append(contentsOf: String(number).utf8) }
}
