import HandleRegistry

/// Parses one line as one JSON object, strictly by RFC 8259. UTF-8 and surrogates must be valid too.
struct JSONLine {
    /// A value and its position in the line; for a string, the position of the bytes between its quotes.
    struct Value: Hashable, Sendable {
        var kind: JSONKind
        var start: Int
        var end: Int
    }

    struct Member: Hashable, Sendable {
        var key: Value
        var value: Value
    }

    enum Content { case object, blank, malformed }

    let base: UnsafeMutablePointer<UInt8>
    let bytes: ByteSearch
    /// The position of the line end.
    let end: Int

    /// The maximum nesting depth, far more than a list of names has.
    private static let deepest = 128

    init(_ base: UnsafeMutablePointer<UInt8>, end: Int) {
        self.base = base
        self.end = end
        bytes = ByteSearch(base)
    }

    /// A field of an object, or of an object in it.
    struct Field: Hashable {
        let keys: [String]
        let kind: JSONKind

        /// As it is given at the command line.
        var path: String { keys.joined(separator: ".") }
    }

    /// The fields of an object, and those of objects in it; nil when `text` is not an object.
    static func fields(of text: ArraySlice<UInt8>) -> [Field]? {
        var chunk = Chunk(text)
        return chunk.bytes.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let json = JSONLine(base, end: text.count)
            var outer: [Member] = []
            guard json.object(from: 0, into: &outer) == .object else { return nil }
            var fields = outer.compactMap { json.field($0, in: []) }
            for member in outer where member.value.kind == .object {
                guard let key = json.text(member.key.start..<member.key.end) else { continue }
                var position = member.value.start + 1
                _ = json.object(&position, 1) { if let field = json.field($0, in: [key]) { fields.append(field) } }
            }
            return fields
        }
    }

    private func field(_ member: Member, in outer: [String]) -> Field? {
        text(member.key.start..<member.key.end).map { Field(keys: outer + [$0], kind: member.value.kind) }
    }

    /// Parses the line from `start` on.
    /// - Parameter members: the object's members are appended to it.
    func object(from start: Int, into members: inout [Member]) -> Content {
        var position = start
        skipBlanks(&position)
        guard position < end else { return .blank }
        guard bytes[position] == UInt8(ascii: "{"), isUTF8(start..<end) else { return .malformed }
        position += 1
        guard object(&position, 1, { members.append($0) }) else { return .malformed }
        skipBlanks(&position)
        return position == end ? .object : .malformed
    }

    /// The value that begins at `start` and is all of the line; nil when there is another text.
    func value(from start: Int) -> Value? {
        var position = start
        guard isUTF8(start..<end), let value = value(&position, 1) else { return nil }
        skipBlanks(&position)
        return position == end ? value : nil
    }

    /// The value at a path of keys with dots between them; a single key that contains the dots takes precedence.
    ///
    /// - Parameters:
    ///   - range: the members of the object.
    ///   - members: contains that range; the members of inner objects are appended temporarily.
    /// - Throws: ``RepeatedKey`` when a key of the path is there twice, so that there are two values.
    func value(
        at path: ArraySlice<UInt8>, in range: Range<Int>, of members: inout [Member]
    ) throws(RepeatedKey) -> Value? {
        if let whole = try value(of: path, in: members[range]) { return whole }
        var dot = path.firstIndex(of: UInt8(ascii: "."))
        while let found = dot {
            let rest = path[(found + 1)...]
            if let outer = try value(of: path[..<found], in: members[range]), outer.kind == .object {
                let first = members.count
                defer { members.removeLast(members.count - first) }
                var position = outer.start + 1
                _ = object(&position, 1) { members.append($0) }
                if let inner = try value(at: rest, in: first..<members.count, of: &members) { return inner }
            }
            dot = rest.firstIndex(of: UInt8(ascii: "."))
        }
        return nil
    }

    struct RepeatedKey: Error {}

    /// Whether a value is a number without a fraction and an exponent.
    func isInteger(_ value: Value) -> Bool {
        value.kind == .number && (value.start..<value.end).allSatisfy { 0x30...0x39 ~= bytes[$0] || bytes[$0] == 0x2D }
    }

    private func value(of key: ArraySlice<UInt8>, in members: ArraySlice<Member>) throws(RepeatedKey) -> Value? {
        var found: Value?
        for member in members where isEqual(member.key, key) {
            guard found == nil else { throw RepeatedKey() }
            found = member.value
        }
        return found
    }

    private func isEqual(_ key: Value, _ name: ArraySlice<UInt8>) -> Bool {
        let range = key.start..<key.end
        if bytes.first(UInt8(ascii: "\\"), from: key.start, to: key.end) == key.end {
            return range.count == name.count && zip(range, name).allSatisfy { bytes[$0] == $1 }
        }
        return text(range).map { $0.utf8.elementsEqual(name) } ?? false
    }
}

/// The grammar. Each function advances past the element in its name, and returns whether it was there.
extension JSONLine {
    @inline(__always)
    private func skipBlanks(_ position: inout Int) {
        while position < end, bytes[position].isBlank { position += 1 }
    }

    /// The members of an object, after its brace.
    private func object(_ position: inout Int, _ depth: Int, _ visit: (Member) -> Void) -> Bool {
        skipBlanks(&position)
        if pass("}", &position) { return true }
        while true {
            guard pass("\"", &position), let key = string(&position) else { return false }
            skipBlanks(&position)
            guard pass(":", &position) else { return false }
            skipBlanks(&position)
            guard let value = value(&position, depth) else { return false }
            visit(Member(key: key, value: value))
            skipBlanks(&position)
            if pass("}", &position) { return true }
            guard pass(",", &position) else { return false }
            skipBlanks(&position)
        }
    }

    /// The elements of an array, after its bracket.
    private func array(_ position: inout Int, _ depth: Int) -> Bool {
        skipBlanks(&position)
        if pass("]", &position) { return true }
        while true {
            guard value(&position, depth) != nil else { return false }
            skipBlanks(&position)
            if pass("]", &position) { return true }
            guard pass(",", &position) else { return false }
            skipBlanks(&position)
        }
    }

    private func value(_ position: inout Int, _ depth: Int) -> Value? {
        guard position < end, depth < Self.deepest else { return nil }
        let start = position
        let kind: JSONKind
        let isThere: Bool
        switch bytes[position] {
        case UInt8(ascii: "\""):
            position += 1
            return string(&position)
        case UInt8(ascii: "{"):
            position += 1
            (kind, isThere) = (.object, object(&position, depth + 1) { _ in })
        case UInt8(ascii: "["):
            position += 1
            (kind, isThere) = (.array, array(&position, depth + 1))
        case UInt8(ascii: "t"): (kind, isThere) = (.boolean, pass("true", &position))
        case UInt8(ascii: "f"): (kind, isThere) = (.boolean, pass("false", &position))
        case UInt8(ascii: "n"): (kind, isThere) = (.null, pass("null", &position))
        default: (kind, isThere) = (.number, number(&position))
        }
        return isThere ? Value(kind: kind, start: start, end: position) : nil
    }

    private func number(_ position: inout Int) -> Bool {
        _ = pass("-", &position)
        guard pass("0", &position) || digits(&position) else { return false }
        if pass(".", &position), !digits(&position) { return false }
        guard pass("e", &position) || pass("E", &position) else { return true }
        _ = pass("+", &position) || pass("-", &position)
        return digits(&position)
    }

    private func digits(_ position: inout Int) -> Bool {
        let start = position
        while position < end, 0x30...0x39 ~= bytes[position] { position += 1 }
        return position > start
    }

    @inline(__always)
    private func pass(_ word: StaticString, _ position: inout Int) -> Bool {
        guard position + word.utf8CodeUnitCount <= end else { return false }
        for index in 0..<word.utf8CodeUnitCount where bytes[position + index] != word.utf8Start[index] { return false }
        position += word.utf8CodeUnitCount
        return true
    }

    /// Scans a string after its first quote; nil when it is invalid.
    private func string(_ position: inout Int) -> Value? {
        let start = position
        var hasEscapes = false
        while true {
            position = bytes.first(from: position, to: end, ByteSearch.firstSpecialInJSON)
            guard position < end else { return nil }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                let range = start..<position - 1
                return hasEscapes && text(range) == nil ? nil : Value(kind: .string, start: start, end: position - 1)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position += 2
            default: return nil
            }
        }
    }
}

/// Strings: their UTF-8, and their escapes.
extension JSONLine {
    private func isUTF8(_ range: Range<Int>) -> Bool {
        do {
            _ = try UTF8Span(validating: UnsafeBufferPointer(start: base + range.lowerBound, count: range.count).span)
            return true
        } catch {
            return false
        }
    }

    /// The string between the quotes, without escapes; nil when an escape is invalid.
    private func text(_ range: Range<Int>) -> String? {
        let quoted = UnsafeBufferPointer(start: base + range.lowerBound - 1, count: range.count + 2)
        guard case .string(let text) = try? JSONValue(reading: quoted) else { return nil }
        return text
    }

    /// Resolves the escapes of a valid string in place; the result is never longer.
    /// - Returns: the new length in bytes.
    func unescape(_ range: Range<Int>) -> Int {
        let stop = bytes.first(UInt8(ascii: "\\"), from: range.lowerBound, to: range.upperBound)
        guard stop < range.upperBound, let text = text(range) else { return range.count }
        for (place, byte) in text.utf8.enumerated() { base[range.lowerBound + place] = byte }
        return text.utf8.count
    }
}
