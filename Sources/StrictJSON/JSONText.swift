/// A text that has been found to be one JSON value as RFC 8259 has it, in UTF-8, with no name twice in any
/// object that the one who asks for it reads.
///
/// It says nothing of what is in the value: Foundation's decoder reads that. That decoder alone is no judge, as it takes
/// one of two members with the same name, a comma before a bracket that closes, control characters in strings, and
/// `60.0` or `6e1` for the integer 60.
package struct JSONText: Sendable {
    /// Which numbers a text may have.
    package enum Numbers: Sendable {
        case all
        /// Only those that are written without a fraction and an exponent, and have at most 18 digits: an `Int64` holds
        /// them all.
        case whole
    }

    /// Which objects may have no name twice.
    package enum Objects: Sendable {
        case all
        /// Only the outermost: enough for who reads nothing that lies deeper.
        case outermost
    }

    /// The names of the members of the outermost object, without escapes, in their order; none when the value is another.
    package let names: [String]

    /// Arrays and objects within each other at most. Texts with more are refused before they take too much of the stack.
    package static let deepest = 100

    /// Looks through the bytes once.
    /// - Throws: ``JSONFault`` that says what is wrong first, and where.
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
            // Most texts are ASCII, and then nothing has to be copied.
            buffer.reduce(0, |) < 0x80 || String(validating: buffer, as: UTF8.self) != nil
        }
    }
}
