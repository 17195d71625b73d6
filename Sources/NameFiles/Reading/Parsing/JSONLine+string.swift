/// Strings: their escapes, and their UTF-8.
extension JSONLine {
    /// Scans a string after its first quote; nil when it is invalid.
    func string(_ position: inout Int) -> Value? {
        let start = position
        while true {
            position = bytes.first(from: position, to: end, ByteSearch.firstSpecialInJSON)
            guard position < end else { return nil }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return Value(kind: .string, start: start, end: position - 1)
            case UInt8(ascii: "\\"):
                guard let (_, length) = escape(at: position) else { return nil }
                position += length
            case 0x80...:
                guard let length = sequenceLength(at: position) else { return nil }
                position += length
            default: return nil
            }
        }
    }

    /// Resolves the escapes of a valid string in place; the result is never longer.
    /// - Returns: the new length in bytes.
    func unescape(_ range: Range<Int>) -> Int {
        var unread = range.lowerBound
        var written = range.lowerBound
        while unread < range.upperBound {
            let stop = bytes.first(UInt8(ascii: "\\"), from: unread, to: range.upperBound)
            if written != unread { (base + written).update(from: base + unread, count: stop - unread) }
            written += stop - unread
            unread = stop
            guard stop < range.upperBound, let (scalar, length) = escape(at: stop) else { break }
            unread += length
            for byte in UTF8.encode(scalar) ?? .encodedReplacementCharacter {
                base[written] = byte
                written += 1
            }
        }
        return written - range.lowerBound
    }

    /// The escape at a backslash and its length in bytes; for a surrogate pair, both escapes.
    private func escape(at place: Int) -> (scalar: Unicode.Scalar, length: Int)? {
        guard place + 1 < end else { return nil }
        switch bytes[place + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return (Unicode.Scalar(bytes[place + 1]), 2)
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{C}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        case UInt8(ascii: "u"): break
        default: return nil
        }
        guard let first = codeUnit(at: place) else { return nil }
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        guard UTF16.isLeadSurrogate(first), let second = codeUnit(at: place + 6), UTF16.isTrailSurrogate(second) else {
            return nil
        }
        let number = 0x10000 + ((UInt32(first) & 0x3FF) << 10 | UInt32(second) & 0x3FF)
        return Unicode.Scalar(number).map { ($0, 12) }
    }

    /// The number in `\u` and four hexadecimal digits.
    private func codeUnit(at place: Int) -> UInt16? {
        guard place + 6 <= end, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt16 = 0
        for index in place + 2..<place + 6 {
            switch bytes[index] {
            case let digit where 0x30...0x39 ~= digit: unit = unit << 4 | UInt16(digit - 0x30)
            case let digit where 0x41...0x46 ~= digit & 0xDF: unit = unit << 4 | UInt16(digit & 0xDF - 0x37)
            default: return nil
            }
        }
        return unit
    }

    /// The length in bytes of the character here, which is not ASCII; nil when it is invalid (Unicode, table 3-7).
    private func sequenceLength(at place: Int) -> Int? {
        let second: ClosedRange<UInt8>
        let length: Int
        switch bytes[place] {
        case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
        case 0xE0: (second, length) = (0xA0...0xBF, 3)
        case 0xED: (second, length) = (0x80...0x9F, 3)
        case 0xE1...0xEF: (second, length) = (0x80...0xBF, 3)
        case 0xF0: (second, length) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
        case 0xF4: (second, length) = (0x80...0x8F, 4)
        default: return nil
        }
        // The line end and the padding are not continuation bytes, so nothing past them is read.
        guard second ~= bytes[place + 1] else { return nil }
        for index in 2..<length where bytes[place + index] & 0xC0 != 0x80 { return nil }
        return length
    }
}
