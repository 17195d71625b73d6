import Hummingbird

/// The parameters of a request's query, decoded strictly: what is not UTF-8 is refused, not replaced.
struct Query {
    private var values: [Substring: String] = [:]

    /// - Throws: ``Problem`` 400 for a broken `%` sequence, invalid UTF-8 or a parameter that is there twice.
    init(_ request: Request) throws(Problem) {
        guard let query = request.uri.query else { return }
        for pair in query.split(separator: "&") {
            let name = pair.prefix { $0 != "=" }
            let value = try PercentEncoding.decode(pair.dropFirst(name.count + 1), plusIsSpace: true, in: String(name))
            guard values.updateValue(value, forKey: name) == nil else {
                throw .badRequest("repeated_parameter", "The parameter '\(name)' is there twice; give it once.")
            }
        }
    }

    subscript(name: Substring) -> String? { values[name] }

    /// The value of a parameter that must be there.
    func require(_ name: Substring) throws(Problem) -> String {
        guard let value = values[name] else {
            throw .badRequest("missing_parameter", "The parameter '\(name)' is missing: add ?\(name)=… to the address.")
        }
        return value
    }

    /// The whole number that a parameter says, when it is there.
    func integer(_ name: Substring, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = values[name] else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw .badRequest(
                "invalid_parameter",
                "The parameter '\(name)' is a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }
}

/// Percent-encoding (RFC 3986, 2.1), and `+` for a space in queries as forms have it.
enum PercentEncoding {
    /// - Throws: ``Problem`` 400 when a `%` is not followed by two hexadecimal digits or the bytes are not UTF-8.
    static func decode(_ text: Substring, plusIsSpace: Bool, in place: String) throws(Problem) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                    throw .badRequest(
                        "invalid_encoding",
                        "In '\(place)' a % is not followed by two hexadecimal digits; write %25 for %.")
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw .badRequest("invalid_encoding", "In '\(place)' the bytes are not UTF-8; encode the text as UTF-8.")
        }
        return decoded
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
