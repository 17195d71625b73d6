/// Scans strings and their escapes. The bytes are valid UTF-8.
extension JSONScanner {
    /// Scans a string from its first quote.
    /// - Returns: whether it has escapes.
    mutating func string(_ bytes: Span<UInt8>) throws(JSONFault) -> Bool {
        position += 1
        var hasEscapes = false
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return hasEscapes
            case UInt8(ascii: "\\"):
                _ = try escape(bytes)
                hasEscapes = true
            case let byte where byte < 0x20: throw fault(.controlCharacter(byte))
            default: position += 1
            }
        }
        throw fault(.incomplete)
    }

    /// Scans the name of a member from its first quote, and resolves its escapes.
    mutating func name(_ bytes: Span<UInt8>) throws(JSONFault) -> String {
        let start = position + 1
        let hasEscapes = try string(bytes)
        let written = bytes.extracting(start..<position - 1)
        return hasEscapes ? try Self.unescaped(written) : Self.decoded(written)
    }

    /// Resolves the escapes of a valid string.
    private static func unescaped(_ written: Span<UInt8>) throws(JSONFault) -> String {
        var text = ""
        var scanner = JSONScanner()
        var start = 0
        while scanner.position < written.count {
            guard written[scanner.position] == UInt8(ascii: "\\") else {
                scanner.position += 1
                continue
            }
            text += decoded(written.extracting(start..<scanner.position))
            text.unicodeScalars.append(try scanner.escape(written))
            start = scanner.position
        }
        return text + decoded(written.extracting(start..<written.count))
    }

    private static func decoded(_ written: Span<UInt8>) -> String {
        written.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Scans an escape from its backslash; both escapes of a surrogate pair.
    private mutating func escape(_ bytes: Span<UInt8>) throws(JSONFault) -> Unicode.Scalar {
        guard position + 1 < bytes.count else { throw fault(.incomplete) }
        let letter = bytes[position + 1]
        guard letter != UInt8(ascii: "u") else { return try unicodeEscape(bytes) }
        let scalar: Unicode.Scalar
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scalar = Unicode.Scalar(letter)
        case UInt8(ascii: "b"): scalar = "\u{8}"
        case UInt8(ascii: "f"): scalar = "\u{C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        default: throw fault(.badEscape)
        }
        position += 2
        return scalar
    }

    private mutating func unicodeEscape(_ bytes: Span<UInt8>) throws(JSONFault) -> Unicode.Scalar {
        guard let first = codeUnit(bytes, at: position) else { throw fault(.badEscape) }
        if let scalar = Unicode.Scalar(first) {
            position += 6
            return scalar
        }
        guard UTF16.isLeadSurrogate(first), let second = codeUnit(bytes, at: position + 6),
            UTF16.isTrailSurrogate(second),
            let scalar = Unicode.Scalar(0x10000 + ((UInt32(first) & 0x3FF) << 10 | UInt32(second) & 0x3FF))
        else { throw fault(.loneSurrogate) }
        position += 12
        return scalar
    }

    /// The number in `\u` and four hexadecimal digits; nil when there is no such escape.
    private func codeUnit(_ bytes: Span<UInt8>, at place: Int) -> UInt16? {
        guard place + 6 <= bytes.count, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt16 = 0
        for index in place + 2..<place + 6 {
            guard let digit = Unicode.Scalar(bytes[index]).properties.isASCIIHexDigit ? bytes[index] : nil else {
                return nil
            }
            unit = unit << 4 | UInt16(digit < 0x3A ? digit - 0x30 : (digit & 0xDF) - 0x37)
        }
        return unit
    }
}
