/// A value of a JSON text as in RFC 8259, in UTF-8.
///
/// Foundation's decoder is not strict enough: it accepts repeated names, a trailing comma, control characters in strings,
/// and `60.0` or `6e1` for the integer 60.
package enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    /// As it is written. Without ``Strictness/issuers`` it always fits in an `Int64`.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// The members in order, without escapes in their names.
    case object([(name: String, value: JSONValue)])

    /// The demands on a text beside the grammar.
    package enum Strictness: Sendable {
        /// Names don't repeat, and numbers have no fraction, no exponent and at most 18 digits.
        case callers
        /// Only the names of the outermost object don't repeat: issuers of tokens may put any JSON below it.
        case issuers
    }

    /// Reads the bytes in one pass.
    /// - Parameter deepest: the maximum depth of nested arrays and objects. Deeper texts are refused before they use too
    ///   much of the stack.
    /// - Throws: ``JSONFault`` with the first fault and its position.
    package init(
        reading bytes: some Sequence<UInt8>, _ strictness: Strictness = .callers, deepest: Int = 100
    ) throws(JSONFault) {
        let bytes = Array(bytes)
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { throw JSONFault(.byteOrderMark, at: 0) }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw JSONFault(.notUTF8, at: 0) }
        var reader = JSONReader(bytes: bytes, strictness: strictness, deepest: deepest)
        self = try reader.text()
    }

    /// The member of an object; nil if there is none, or the value is no object.
    package subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members.first { $0.name == name }?.value } else { nil }
    }
}
