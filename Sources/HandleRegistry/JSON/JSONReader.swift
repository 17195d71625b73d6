/// The grammar of RFC 8259. Each function reads the element in its name and advances past it, or throws the first fault.
/// The bytes are valid UTF-8.
struct JSONReader {
    let bytes: [UInt8]
    let strictness: JSONValue.Strictness
    let deepest: Int
    private var position = 0

    /// The number of digits that always fit in an `Int64`; a minus sign counts as one.
    private static let mostDigits = 18

    init(bytes: [UInt8], strictness: JSONValue.Strictness, deepest: Int) {
        (self.bytes, self.strictness, self.deepest) = (bytes, strictness, deepest)
    }

    /// Reads the whole text.
    mutating func text() throws(JSONFault) -> JSONValue {
        skipBlanks()
        guard next != nil else { throw fault(.empty) }
        let value = try value(1)
        skipBlanks()
        guard next == nil else { throw fault(.moreThanOneValue) }
        return value
    }

    /// - Parameter depth: the nesting depth of arrays and objects, this value included.
    private mutating func value(_ depth: Int) throws(JSONFault) -> JSONValue {
        guard let first = next else { throw fault(.incomplete) }
        switch first {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), 0x30...0x39: return try number()
        default: throw fault(.unexpected)
        }
    }

    private mutating func object(_ depth: Int) throws(JSONFault) -> JSONValue {
        var members: [(String, JSONValue)] = []
        // Names that differ only in how Unicode composes a character are equal.
        var names: Set<String> = []
        try elements(depth, until: "}") { reader throws(JSONFault) in
            guard let first = reader.next else { throw reader.fault(.incomplete) }
            guard first == UInt8(ascii: "\"") else { throw reader.fault(.unexpected) }
            let start = reader.position
            let name = try reader.string()
            guard names.insert(name).inserted || reader.strictness == .issuers && depth > 1 else {
                throw JSONFault(.repeatedName, at: start).within(name)
            }
            do throws(JSONFault) {
                reader.skipBlanks()
                try reader.expect(":")
                reader.skipBlanks()
                members.append((name, try reader.value(depth + 1)))
            } catch {
                throw error.within(name)
            }
        }
        return .object(members)
    }

    private mutating func array(_ depth: Int) throws(JSONFault) -> JSONValue {
        var values: [JSONValue] = []
        try elements(depth, until: "]") { reader throws(JSONFault) in
            do throws(JSONFault) {
                values.append(try reader.value(depth + 1))
            } catch {
                throw error.within(String(values.count))
            }
        }
        return .array(values)
    }

    /// Reads the brackets of an array or object, and the commas between its elements.
    private mutating func elements(
        _ depth: Int, until end: Unicode.Scalar, _ element: (inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        guard depth <= deepest else { throw fault(.tooDeep) }
        position += 1
        skipBlanks()
        if pass(end) { return }
        while true {
            try element(&self)
            skipBlanks()
            if pass(end) { return }
            let comma = position
            try expect(",")
            skipBlanks()
            if next == UInt8(ascii: end) { throw JSONFault(.trailingComma, at: comma) }
        }
    }

    private mutating func number() throws(JSONFault) -> JSONValue {
        let start = position
        _ = pass("-")
        guard pass("0") || digits() else { throw JSONFault(.badNumber, at: start) }
        let end = position
        if pass("."), !digits() { throw JSONFault(.badNumber, at: start) }
        if pass("e") || pass("E") {
            _ = pass("+") || pass("-")
            guard digits() else { throw JSONFault(.badNumber, at: start) }
        }
        // Another digit here means a leading zero.
        if digits() { throw JSONFault(.badNumber, at: start) }
        if strictness == .callers {
            guard position == end else { throw JSONFault(.fraction, at: start) }
            guard end - start <= Self.mostDigits else { throw JSONFault(.hugeNumber, at: start) }
        }
        return .number(decoded(from: start))
    }

    private mutating func digits() -> Bool {
        let start = position
        while let byte = next, 0x30...0x39 ~= byte { position += 1 }
        return position > start
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        for letter in word.unicodeScalars { try expect(letter) }
        return value
    }

    // MARK: Strings

    /// Reads a string from its first quote, and resolves its escapes.
    private mutating func string() throws(JSONFault) -> String {
        position += 1
        var (text, start) = ("", position)
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                defer { position += 1 }
                return text + decoded(from: start)
            case UInt8(ascii: "\\"):
                text += decoded(from: start)
                text.unicodeScalars.append(try escape())
                start = position
            case ..<0x20: throw fault(.controlCharacter(byte))
            default: position += 1
            }
        }
        throw fault(.incomplete)
    }

    private func decoded(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    private static let escapes: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
        UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]

    /// Reads an escape from its backslash; both escapes of a surrogate pair.
    private mutating func escape() throws(JSONFault) -> Unicode.Scalar {
        guard position + 1 < bytes.count else { throw fault(.incomplete) }
        if let scalar = Self.escapes[bytes[position + 1]] {
            position += 2
            return scalar
        }
        guard let first = codeUnit(at: position) else { throw fault(.badEscape) }
        if let scalar = Unicode.Scalar(first) {
            position += 6
            return scalar
        }
        guard UTF16.isLeadSurrogate(first), let second = codeUnit(at: position + 6), UTF16.isTrailSurrogate(second)
        else { throw fault(.loneSurrogate) }
        position += 12
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    /// The number in `\u` and four hexadecimal digits; nil when there is no such escape.
    private func codeUnit(at place: Int) -> UInt16? {
        guard place + 6 <= bytes.count, bytes[place..<place + 2].elementsEqual("\\u".utf8) else { return nil }
        return bytes[place + 2..<place + 6].reduce(0) { unit, byte in
            guard let unit, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            return unit << 4 | UInt16(digit)
        }
    }

    // MARK: Bytes

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() { while pass(" ") || pass("\n") || pass("\r") || pass("\t") {} }

    private mutating func pass(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(JSONFault) {
        guard pass(character) else { throw fault(next == nil ? .incomplete : .unexpected) }
    }

    private func fault(_ kind: JSONFault.Kind) -> JSONFault { JSONFault(kind, at: position) }
}
