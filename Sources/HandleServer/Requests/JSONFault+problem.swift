import HandleRegistry
import Hummingbird

extension Problem {
    /// The problem for a body that is not acceptable JSON.
    static func unreadable(_ fault: JSONFault, deepest: Int) -> Problem {
        switch fault.kind {
        case .empty: Problem(.missingBody, "The body is empty; send a JSON object.")
        case .notUTF8: Problem(.invalidEncoding, "The body is not UTF-8; encode it as UTF-8.")
        case .tooDeep:
            Problem(
                .tooDeep, "The body nests arrays and objects more than \(deepest) levels deep; no call needs that.")
        case .fraction, .hugeNumber: Problem(.invalidField, fault.sentence)
        default: Problem(.invalidJSON, fault.sentence)
        }
    }
}

extension JSONFault {
    /// The error and how to fix it. Byte positions count from 1.
    fileprivate var sentence: String {
        let (inField, place) = (path.isEmpty ? "" : " in the field '\(name)'", "at byte \(offset + 1)")
        return switch kind {
        case .byteOrderMark: "The body begins with a byte order mark (U+FEFF); leave it out."
        case .repeatedName: "The field '\(name)' appears twice (\(place)); send it once."
        case .trailingComma: "The comma \(place)\(inField) is followed by a closing bracket; leave it out."
        case .controlCharacter(let byte):
            "A string\(inField) has the control character U+\(Self.code(byte)) \(place); write it as \\u\(Self.code(byte))."
        case .badEscape: "The backslash \(place)\(inField) does not begin a JSON escape; write \\\\ for a backslash."
        case .loneSurrogate:
            "The escape \(place)\(inField) is half of a surrogate pair; write both halves, or the character itself in UTF-8."
        case .badNumber: "The number \(place)\(inField) is not valid JSON; write it like 60 or -60."
        case .fraction:
            "The number \(place)\(inField) has a fraction or an exponent; write a whole number such as 60."
        case .hugeNumber: "The number \(place)\(inField) is out of range; it has more than 18 digits."
        case .incomplete: "The body ends before the JSON value is complete; send all of it."
        case .moreThanOneValue: "The body has more text after the JSON value, \(place); send one JSON value."
        case .unexpected: "The body is not valid JSON \(place)\(inField); write it with a JSON library."
        case .empty, .notUTF8, .tooDeep: "The body is not valid JSON."
        }
    }

    private var name: String { path.joined(separator: ".").shortened }

    private static func code(_ byte: UInt8) -> String {
        (byte < 0x10 ? "000" : "00") + String(byte, radix: 16, uppercase: true)
    }
}

extension String {
    /// The text, cut to 64 code points; text from a client can be long.
    var shortened: String {
        let start = unicodeScalars.prefix(64)
        return start.endIndex == endIndex ? self : String(start) + "…"
    }
}
