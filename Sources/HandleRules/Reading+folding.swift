/// Reads typed text without ICU, for apps.
extension Reading {
    /// Reads typed text as the service does: it is trimmed, one leading `@` is dropped, and each character that
    /// normalises to an ASCII character is folded to it. Any other character is refused, with its place in the text as
    /// it was typed.
    ///
    /// The service uses ICU. Both find the same handle, or none, in every text. The reasons are also the same where all
    /// characters fold. Elsewhere the service may count fewer characters, because ICU composes accents with their
    /// letters.
    public init(folding typed: String) {
        var typed = typed
        let ascii = typed.withUTF8 { bytes -> Reading? in
            if let reading = Reading(ascii: bytes) { return reading }
            guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
            return Reading(anyASCII: bytes) { .init(named: Unicode.Scalar($0), offset: $1) }
        }
        if let ascii {
            self = ascii
        } else {
            self.init(
                normalised: Self.trimmed(typed.unicodeScalars).map(\.foldedToASCII),
                describing: InvalidCharacter.init(named:offset:))
        }
    }

    private static func trimmed(_ text: String.UnicodeScalarView) -> Substring.UnicodeScalarView {
        var text = text[...]
        while let first = text.first, first.properties.isWhitespace { text.removeFirst() }
        while let last = text.last, last.properties.isWhitespace { text.removeLast() }
        if text.first == "@" { text.removeFirst() }
        return text
    }
}

extension Unicode.Scalar {
    /// The ASCII character that this one normalises to, or itself. A test compares every scalar with ICU.
    fileprivate var foldedToASCII: Unicode.Scalar {
        switch value {
        // Full-width forms (RFC 8264, 5.2.1).
        case 0xFF01...0xFF5E: Unicode.Scalar(UInt8(truncatingIfNeeded: value - 0xFEE0))
        case 0x3000: " "
        // Canonical equivalents (NFC): the kelvin sign, the Greek question mark and a Greek accent.
        case 0x212A: "K"
        case 0x037E: ";"
        case 0x1FEF: "`"
        default: self
        }
    }
}

extension InvalidCharacter {
    /// The character with its name in the standard library.
    fileprivate init(named scalar: Unicode.Scalar, offset: Int) {
        let properties = scalar.properties
        let bare = InvalidCharacter(scalar: scalar, offset: offset)
        let label = properties.generalCategory == .control ? "<control-\(bare.codepoint.dropFirst(2))>" : nil
        self.init(scalar: scalar, offset: offset, name: properties.name ?? label ?? properties.nameAlias)
    }
}
