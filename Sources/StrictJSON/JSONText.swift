/// A text that was checked to be one JSON value as in RFC 8259, in UTF-8, with no repeated names in the objects that
/// the caller reads.
///
/// The value itself is read by Foundation's decoder. That decoder alone is not strict enough: it accepts repeated
/// names, a trailing comma, control characters in strings, and `60.0` or `6e1` for the integer 60.
package struct JSONText: Sendable {
    /// The numbers that a text may have.
    package enum Numbers: Sendable {
        case all
        /// Only numbers without a fraction and an exponent and with at most 18 digits, which always fit in an `Int64`.
        case whole
    }

    /// The objects in which names must not repeat.
    package enum Objects: Sendable {
        case all
        /// Only the outermost: enough for callers that read nothing below it.
        case outermost
    }

    /// The names of the members of the outermost object, without escapes, in order; empty when the value is not an
    /// object.
    package let names: [String]

    /// The maximum depth of nested arrays and objects. Deeper texts are refused before they use too much of the stack.
    package static let deepest = 100

    /// Checks the bytes in one pass.
    /// - Throws: ``JSONFault`` with the first fault and its position.
    package init(
        checking bytes: Span<UInt8>, numbers: Numbers = .all, distinctNames: Objects = .all
    ) throws(JSONFault) {
        let start = [0xEF, 0xBB, 0xBF] as [UInt8]
        if bytes.count >= 3, start.indices.allSatisfy({ bytes[$0] == start[$0] }) {
            throw JSONFault(.byteOrderMark, at: 0)
        }
        guard Self.isUTF8(bytes) else { throw JSONFault(.notUTF8, at: 0) }
        var scanner = JSONScanner(numbers: numbers, distinctNames: distinctNames)
        names = try scanner.text(bytes)
    }

    private static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            // Most texts are ASCII and need no copy.
            buffer.reduce(0, |) < 0x80 || String(validating: buffer, as: UTF8.self) != nil
        }
    }
}
