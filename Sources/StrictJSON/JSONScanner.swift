/// The grammar of RFC 8259. Each function advances past the element in its name, or throws the first fault.
struct JSONScanner {
    let numbers: JSONText.Numbers
    let distinctNames: JSONText.Objects
    var position = 0

    /// The number of digits that always fit in an `Int64`; a minus sign counts as one.
    private static let mostDigits = 18

    init(numbers: JSONText.Numbers = .all, distinctNames: JSONText.Objects = .all) {
        self.numbers = numbers
        self.distinctNames = distinctNames
    }

    /// Scans the whole text.
    /// - Returns: the names of the outermost object.
    mutating func text(_ bytes: Span<UInt8>) throws(JSONFault) -> [String] {
        skipBlanks(bytes)
        guard position < bytes.count else { throw fault(.empty) }
        let names = try value(bytes, 1)
        skipBlanks(bytes)
        guard position == bytes.count else { throw fault(.moreThanOneValue) }
        return names
    }

    /// - Parameter depth: the nesting depth of arrays and objects, this value included.
    /// - Returns: the names of an object; none for other values.
    private mutating func value(_ bytes: Span<UInt8>, _ depth: Int) throws(JSONFault) -> [String] {
        guard position < bytes.count else { throw fault(.incomplete) }
        switch bytes[position] {
        case UInt8(ascii: "\""): _ = try string(bytes)
        case UInt8(ascii: "{"): return try object(bytes, depth)
        case UInt8(ascii: "["): try array(bytes, depth)
        case UInt8(ascii: "t"): try word("true", bytes)
        case UInt8(ascii: "f"): try word("false", bytes)
        case UInt8(ascii: "n"): try word("null", bytes)
        case UInt8(ascii: "-"), 0x30...0x39: try number(bytes)
        default: throw fault(.unexpected)
        }
        return []
    }

    private mutating func object(_ bytes: Span<UInt8>, _ depth: Int) throws(JSONFault) -> [String] {
        guard depth <= JSONText.deepest else { throw fault(.tooDeep) }
        position += 1
        var names = DistinctNames()
        let mayRepeat = distinctNames == .outermost && depth > 1
        skipBlanks(bytes)
        if pass("}", bytes) { return [] }
        while true {
            guard position < bytes.count else { throw fault(.incomplete) }
            let start = position
            guard bytes[start] == UInt8(ascii: "\"") else { throw fault(.unexpected) }
            let name = try name(bytes)
            guard mayRepeat || names.insert(name) else { throw JSONFault(.repeatedName, at: start).within(name) }
            do throws(JSONFault) {
                skipBlanks(bytes)
                try expect(":", bytes)
                skipBlanks(bytes)
                _ = try value(bytes, depth + 1)
            } catch {
                throw error.within(name)
            }
            skipBlanks(bytes)
            if pass("}", bytes) { return names.all }
            try comma(before: "}", bytes)
        }
    }

    private mutating func array(_ bytes: Span<UInt8>, _ depth: Int) throws(JSONFault) {
        guard depth <= JSONText.deepest else { throw fault(.tooDeep) }
        position += 1
        skipBlanks(bytes)
        if pass("]", bytes) { return }
        var index = 0
        while true {
            do throws(JSONFault) {
                _ = try value(bytes, depth + 1)
            } catch {
                throw error.within(String(index))
            }
            index += 1
            skipBlanks(bytes)
            if pass("]", bytes) { return }
            try comma(before: "]", bytes)
        }
    }

    /// Scans a comma between two members or elements, and the white space after it.
    private mutating func comma(before end: Unicode.Scalar, _ bytes: Span<UInt8>) throws(JSONFault) {
        let start = position
        try expect(",", bytes)
        skipBlanks(bytes)
        guard position < bytes.count, bytes[position] == UInt8(ascii: end) else { return }
        throw JSONFault(.trailingComma, at: start)
    }

    private mutating func number(_ bytes: Span<UInt8>) throws(JSONFault) {
        let start = position
        _ = pass("-", bytes)
        guard pass("0", bytes) || digits(bytes) else { throw JSONFault(.badNumber, at: start) }
        let end = position
        if pass(".", bytes), !digits(bytes) { throw JSONFault(.badNumber, at: start) }
        if pass("e", bytes) || pass("E", bytes) {
            _ = pass("+", bytes) || pass("-", bytes)
            guard digits(bytes) else { throw JSONFault(.badNumber, at: start) }
        }
        // Another digit here means a leading zero.
        if position < bytes.count, 0x30...0x39 ~= bytes[position] { throw JSONFault(.badNumber, at: start) }
        guard numbers == .whole else { return }
        guard position == end else { throw JSONFault(.fraction, at: start) }
        guard end - start <= Self.mostDigits else { throw JSONFault(.hugeNumber, at: start) }
    }

    private mutating func digits(_ bytes: Span<UInt8>) -> Bool {
        let start = position
        while position < bytes.count, 0x30...0x39 ~= bytes[position] { position += 1 }
        return position > start
    }

    private mutating func word(_ word: StaticString, _ bytes: Span<UInt8>) throws(JSONFault) {
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else { throw fault(.incomplete) }
            guard bytes[position] == word.utf8Start[index] else { throw fault(.unexpected) }
            position += 1
        }
    }

    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    private mutating func pass(_ character: Unicode.Scalar, _ bytes: Span<UInt8>) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar, _ bytes: Span<UInt8>) throws(JSONFault) {
        guard position < bytes.count else { throw fault(.incomplete) }
        guard pass(character, bytes) else { throw fault(.unexpected) }
    }

    func fault(_ kind: JSONFault.Kind) -> JSONFault { JSONFault(kind, at: position) }
}

/// The distinct names of an object.
private struct DistinctNames {
    private(set) var all: [String] = []
    private var set: Set<String> = []

    /// Up to this number, a linear search is faster than a hash table.
    private static let few = 8

    /// Returns whether the name is new. Names that differ only in how Unicode composes a character are equal, as they
    /// are for the decoder.
    mutating func insert(_ name: String) -> Bool {
        if all.count == Self.few { set = Set(all) }
        guard all.count < Self.few ? !all.contains(name) : set.insert(name).inserted else { return false }
        all.append(name)
        return true
    }
}
