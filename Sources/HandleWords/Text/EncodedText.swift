import HandleRules

/// Undoes what programs do to text when one of them encodes it and the next does not decode it.
enum EncodedText {
    /// `text` without entities of HTML, percent encoding and UTF-8 that was read as Windows-1252. It may have been
    /// encoded several times.
    static func decoded(_ text: String) -> String {
        var text = text
        for _ in 0..<3 {
            text = withoutEntities(text)
            text = withoutPercents(text) ?? text
            text = readAsUTF8(text) ?? text
        }
        return text
    }

    // MARK: Entities

    /// Unknown entities stay as they are.
    private static func withoutEntities(_ text: String) -> String {
        var pieces = text.unicodeScalars.split(separator: "&", omittingEmptySubsequences: false)[...]
        var result = pieces.popFirst() ?? Substring.UnicodeScalarView()
        for piece in pieces {
            if let end = piece.firstIndex(of: ";"), let scalar = scalar(named: Substring(piece[..<end])) {
                result.append(scalar)
                result += piece[end...].dropFirst()
            } else {
                result.append("&")
                result += piece
            }
        }
        return String(result)
    }

    /// The scalar of an entity such as `uuml`, `#252` or `#xFC`.
    private static func scalar(named name: Substring) -> Unicode.Scalar? {
        let number =
            name.hasPrefix("#x") || name.hasPrefix("#X")
            ? UInt32(name.dropFirst(2), radix: 16)
            : name.hasPrefix("#") ? UInt32(name.dropFirst()) : entities[name]
        return number.flatMap(Unicode.Scalar.init)
    }

    /// Those of U+00A0–U+00FF in their order, and others of names.
    private static let entities: [Substring: UInt32] = {
        let latin = """
            nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr
            deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest
            Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml
            ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig
            agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
            eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
            """.split { $0.isWhitespace }
        var entities = Dictionary(uniqueKeysWithValues: zip(latin, UInt32(0xA0)...))
        entities["amp"] = 0x26
        entities["lt"] = 0x3C
        entities["gt"] = 0x3E
        entities["quot"] = 0x22
        entities["apos"] = 0x27
        entities["rsquo"] = 0x2019
        entities["trade"] = 0x2122
        return entities
    }()

    // MARK: Percent encoding

    /// Nil when a `%` encodes nothing, or the bytes are not UTF-8.
    private static func withoutPercents(_ text: String) -> String? {
        var pieces = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)[...]
        var bytes = Array(pieces.popFirst() ?? Substring().utf8)
        for piece in pieces {
            let digits = piece.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            guard digits.count == 2 else { return nil }
            bytes.append(UInt8(digits[0] << 4 | digits[1]))
            bytes += piece.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    // MARK: UTF-8 read as Windows-1252

    /// The text that `text` was before its UTF-8 was read as Windows-1252 or Latin-1; nil when it was not.
    private static func readAsUTF8(_ text: String) -> String? {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) ?? windowsBytes[scalar] else { return nil }
            bytes.append(byte)
        }
        guard let read = String(validating: bytes, as: UTF8.self) else { return nil }
        // CAFÉ™, RENÉ’S and Weiß–Gold are UTF-8 by chance, with letters that are rare or of another script.
        let letters = text.utf8.filter(Rules.isLetter)
        let isInCapitals = !letters.isEmpty && letters.allSatisfy { $0 < UInt8(ascii: "a") }
        let isByChance = read.unicodeScalars.contains {
            0x7C0..<0x800 ~= $0.value || isInCapitals && 0x200..<0x800 ~= $0.value && !$0.properties.isUppercase
        }
        return isByChance ? nil : read
    }

    /// The bytes 0x80–0x9F of Windows-1252. It has no character for five of them, which stay as in Latin-1.
    private static let windowsBytes: [Unicode.Scalar: UInt8] = Dictionary(
        uniqueKeysWithValues: zip(
            "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars, 0x80...))
}
