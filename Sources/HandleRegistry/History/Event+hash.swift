import HandleCore
import Hashing
import Postgres

/// An event with its hash.
struct ChainedEvent: Sendable {
    let event: Event
    let hash: [UInt8]

    /// - Parameter previous: the hash of the handle's event before it, if any.
    init(_ event: Event, after previous: [UInt8]?) {
        self.event = event
        hash = event.hash(after: previous)
    }
}

extension Event {
    /// The hash that chains this event to the previous one, with the hash `previous`. ``FindDiscrepancies`` computes
    /// the same in SQL.
    fileprivate func hash(after previous: [UInt8]?) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(256)
        // The format of json_build_array.
        text += "[\"".utf8
        handle.letters.append(to: &text)
        text += "\"".utf8
        text.append(comma: version)
        text.append(comma: at.microsecondsSince1970)
        text.append(comma: actor)
        text.append(comma: action.rawValue)
        text.append(comma: from.rawValue)
        text.append(comma: to.rawValue)
        text += ", \"".utf8
        display.letters.append(to: &text)
        text += "\"".utf8
        text.append(commaHexadecimal: owner?.bytes)
        text.append(comma: reason)
        text.append(comma: related)
        if let until { text.append(comma: until.microsecondsSince1970) } else { text.append(comma: String?.none) }
        text += "]".utf8
        return SHA256(previous ?? [], text).bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(comma value: Int64) {
        self += ", ".utf8
        if value < 0 { append(UInt8(ascii: "-")) }
        let start = count
        var rest = value.magnitude
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }

    fileprivate mutating func append(commaHexadecimal bytes: [UInt8]?) {
        guard let bytes else { return append(comma: String?.none) }
        self += ", \"".utf8
        for byte in bytes {
            append(Self.digits[Int(byte >> 4)])
            append(Self.digits[Int(byte & 15)])
        }
        append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)

    fileprivate mutating func append(comma text: String?) {
        self += ", ".utf8
        if let text { append(json: text) } else { self += "null".utf8 }
    }

    /// A JSON string as PostgreSQL writes it: only quotes, backslashes and characters below the space are escaped.
    fileprivate mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        defer { append(UInt8(ascii: "\"")) }
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            if isPlain { append(contentsOf: utf8) }
            return isPlain
        }
        for byte in isPlain ? "".utf8 : text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): self += "\\\"".utf8
            case UInt8(ascii: "\\"): self += "\\\\".utf8
            case 0x08: self += "\\b".utf8
            case 0x09: self += "\\t".utf8
            case 0x0A: self += "\\n".utf8
            case 0x0C: self += "\\f".utf8
            case 0x0D: self += "\\r".utf8
            case 0..<0x20:
                self += "\\u00".utf8
                self += (byte < 16 ? "0" : "").utf8
                self += String(byte, radix: 16).utf8
            default: append(byte)
            }
        }
    }
}
