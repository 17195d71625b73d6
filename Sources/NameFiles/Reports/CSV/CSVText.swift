/// Untrusted text as a CSV field: without formulas for a spreadsheet or control sequences for a terminal, and on one
/// line.
package enum CSVText {
    /// Maximum number of characters of a name that are written.
    static let longest = 200

    /// Appends a field.
    /// - Parameter isRaw: whether to write the bytes unchanged, with only the quotes that CSV needs.
    static func append(_ field: ArraySlice<UInt8>, to bytes: inout [UInt8], isRaw: Bool) {
        if field.count <= longest, field.allSatisfy(isHarmless), field.first.map(startsHarmlessly) ?? true {
            bytes.append(contentsOf: field)
            return
        }
        let text = isRaw ? Array(field) : printable(guarded(field)[...])
        guard text.contains(where: { needsQuotes($0) }) else { return bytes.append(contentsOf: text) }
        bytes.append(quote)
        for byte in text {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }

    /// The text with a `'` in front of everything that a spreadsheet could read as a formula: at the start, and after a
    /// semicolon, where the cell ends for a spreadsheet that separates by semicolons. It may skip quotes there, because
    /// those of CSV count only at the start of its cells.
    static func guarded(_ field: ArraySlice<UInt8>) -> [UInt8] {
        let guardian = UInt8(ascii: "'")
        var text = startsFormula(field) ? [guardian] : []
        for (index, byte) in zip(field.indices, field) {
            text.append(byte)
            guard byte == semicolon else { continue }
            if startsFormula(field[(index + 1)...].drop { $0 == quote || $0 == 0x20 }) { text.append(guardian) }
        }
        return text
    }

    /// The text with invisible characters as escapes.
    static func printable(_ field: ArraySlice<UInt8>, atMost longest: Int = longest) -> [UInt8] {
        var text: [UInt8] = []
        var rest = field
        var count = 0
        while let first = rest.first {
            if count == longest { return text + Array("…".utf8) }
            count += 1
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            if let scalar = String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars.first {
                append(scalar, to: &text)
                rest = rest.dropFirst(length)
            } else {
                text += "\\x{\(String(first, radix: 16))}".utf8
                rest = rest.dropFirst()
            }
        }
        return text
    }

    private static func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
        if scalar.isASCII, scalar.value >= 0x20, scalar.value != 0x7F, scalar != "\\" {
            return text.append(UInt8(truncatingIfNeeded: scalar.value))
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            text += "\\u{\(String(scalar.value, radix: 16))}".utf8
        default:
            // Double the backslash, so that an escape in the input differs from one of ours.
            if scalar == "\\" { text.append(UInt8(ascii: "\\")) }
            text += String(scalar).utf8
        }
    }

    /// Whether a byte needs neither quotes nor an escape, and no formula can begin behind it.
    private static func isHarmless(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != quote && byte != semicolon && byte != UInt8(ascii: ",")
            && byte != UInt8(ascii: "\\")
    }

    private static func startsHarmlessly(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "=") && byte != UInt8(ascii: "+") && byte != UInt8(ascii: "-") && byte != UInt8(ascii: "@")
    }

    private static let quote = UInt8(ascii: "\"")
    private static let semicolon = UInt8(ascii: ";")

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        byte == quote || byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D
    }

    /// Whether a spreadsheet could read the field as a formula; the full-width forms of the signs count too.
    private static func startsFormula(_ field: ArraySlice<UInt8>) -> Bool {
        guard let first = String(decoding: field.prefix(4), as: UTF8.self).unicodeScalars.first else { return false }
        return ["=", "+", "-", "@", "\t", "\r", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}"].contains(first)
    }

    /// Untrusted text as a field.
    package static func field(_ text: String) -> String { field(Array(text.utf8), isRaw: false) }

    /// Our own sentences as a field, without escapes. They may quote a category, which an admin has chosen.
    static func sentence(_ text: String) -> String { field(guarded(Array(text.utf8)[...]), isRaw: true) }

    private static func field(_ text: [UInt8], isRaw: Bool) -> String {
        var bytes: [UInt8] = []
        append(text[...], to: &bytes, isRaw: isRaw)
        return String(decoding: bytes, as: UTF8.self)
    }
}
