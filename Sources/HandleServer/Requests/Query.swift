import Hummingbird

/// The parameters of a request's query. Decoding is strict: invalid UTF-8 is refused, not replaced.
struct Query {
    private var values: [(name: Substring, value: String)] = []

    /// - Throws: ``Problem`` 400 for an invalid `%` sequence, invalid UTF-8 or a repeated parameter.
    init(_ request: Request) throws(Problem) {
        guard let query = request.uri.query else { return }
        var names: Set<Substring> = []
        var rest = query.utf8[...]
        while !rest.isEmpty {
            let pair = rest.prefix { $0 != UInt8(ascii: "&") }
            rest = rest.dropFirst(pair.count + 1)
            if pair.isEmpty { continue }
            let name = Substring(pair.prefix { $0 != UInt8(ascii: "=") })
            let value = try PercentEncoding.decode(
                Substring(pair.dropFirst(name.utf8.count + 1)), plusIsSpace: true, in: name)
            guard names.insert(name).inserted else {
                throw Problem(.repeatedParameter, "The parameter '\(name)' appears twice; send it once.")
            }
            values.append((name, value))
        }
    }

    subscript(name: Substring) -> String? { values.first { $0.name == name }?.value }

    /// Refuses unknown parameters, because one may be a misspelt known parameter.
    func refuseOthers(than known: [String]) throws(Problem) {
        guard let unknown = values.first(where: { !known.contains(String($0.name)) })?.name else { return }
        let name = String(unknown)
        let nearest = known.nearest(to: name).map { "did you mean '\($0)'?" } ?? "leave it out."
        throw Problem(.invalidParameter, "'\(name.shortened)' is not a parameter of this call; \(nearest)")
    }

    /// The value of a required parameter.
    func require(_ name: Substring) throws(Problem) -> String {
        guard let value = self[name] else {
            throw Problem(.missingParameter, "The parameter '\(name)' is missing: add ?\(name)=… to the URL.")
        }
        return value
    }

    /// The integer value of an optional parameter.
    func integer(_ name: Substring, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = self[name] else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw Problem(
                .invalidParameter,
                "The parameter '\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    /// The value of an optional parameter that is `true` or `false`.
    func flag(_ name: Substring) throws(Problem) -> Bool? {
        guard let text = self[name] else { return nil }
        guard ["true", "false"].contains(text) else {
            throw Problem(.invalidParameter, "The parameter '\(name)' must be true or false.")
        }
        return text == "true"
    }
}

/// Percent-encoding (RFC 3986, 2.1), and `+` for a space in queries, as in forms.
enum PercentEncoding {
    /// - Throws: ``Problem`` 400 when a `%` is not followed by two hexadecimal digits or the bytes are not UTF-8.
    static func decode(_ text: Substring, plusIsSpace: Bool, in place: Substring) throws(Problem) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(text)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                    throw Problem(
                        .invalidEncoding,
                        "In '\(place)' a % is not followed by two hexadecimal digits; write %25 for %.")
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw Problem(.invalidEncoding, "In '\(place)' the bytes are not valid UTF-8; encode the text as UTF-8.")
        }
        return decoded
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
