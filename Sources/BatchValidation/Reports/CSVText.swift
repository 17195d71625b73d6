/// Text from a file of unknown origin as a field of CSV that nothing harmful comes of: no formula for a spreadsheet, no
/// control sequence for a terminal, and never more than a line.
enum CSVText {
    /// The most characters of a name that are written; more of it helps nobody.
    static let longest = 200

    /// Appends a field.
    /// - Parameter isRaw: whether the bytes go as they are, with only the quotes that CSV needs.
    static func append(_ field: ArraySlice<UInt8>, to bytes: inout [UInt8], isRaw: Bool) {
        if field.count <= longest, field.allSatisfy(isHarmless), field.first.map(startsHarmlessly) ?? true {
            bytes.append(contentsOf: field)
            return
        }
        let text = isRaw ? Array(field) : printable(field)
        guard text.contains(where: { needsQuotes($0) }) else { return bytes.append(contentsOf: text) }
        bytes.append(quote)
        for byte in text {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }

    /// The text with what can't be seen as escapes, and a `'` before what a spreadsheet would take for a formula.
    static func printable(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        if startsFormula(field) { text.append(UInt8(ascii: "'")) }
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
            // An escape that is in the input itself stays recognisable as such.
            if scalar == "\\" { text.append(UInt8(ascii: "\\")) }
            text += String(scalar).utf8
        }
    }

    /// Whether a byte stands for itself everywhere.
    private static func isHarmless(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != quote && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\\")
    }

    private static func startsHarmlessly(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "=") && byte != UInt8(ascii: "+") && byte != UInt8(ascii: "-") && byte != UInt8(ascii: "@")
    }

    private static let quote = UInt8(ascii: "\"")

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        byte == quote || byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D
    }

    /// Whether a spreadsheet may take the field for a formula: also by the wide forms of the signs.
    private static func startsFormula(_ field: ArraySlice<UInt8>) -> Bool {
        guard let first = String(decoding: field.prefix(4), as: UTF8.self).unicodeScalars.first else { return false }
        return ["=", "+", "-", "@", "\t", "\r", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}"].contains(first)
    }
}

/// A field of CSV for reports that are written elsewhere.
package enum CSVField {
    /// Text from a file, with what ``CSVText`` does to it.
    package static func text(_ text: String) -> String { field(text, isRaw: false) }

    /// Sentences of ours, as they are.
    package static func sentence(_ text: String) -> String { field(text, isRaw: true) }

    private static func field(_ text: String, isRaw: Bool) -> String {
        if text.isEmpty { return text }
        var bytes: [UInt8] = []
        CSVText.append(Array(text.utf8)[...], to: &bytes, isRaw: isRaw)
        return String(decoding: bytes, as: UTF8.self)
    }
}
