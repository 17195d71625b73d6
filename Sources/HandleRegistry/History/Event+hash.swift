import HandleRules
import Postgres

/// An event with its hash.
struct ChainedEvent: Sendable {
    let event: Event
    let hash: [UInt8]

    init(_ event: Event, hash: [UInt8]) { (self.event, self.hash) = (event, hash) }

    /// - Parameter previous: the hash of the handle's event before it, if any.
    init(_ event: Event, after previous: [UInt8]?) {
        self.init(event, hash: EventText(event).hash(of: event.display, after: previous))
    }
}

/// The text of an event that is hashed, for events that differ in their display handle only.
struct EventText: Sendable {
    private static let beginning = Array("[\"".utf8)
    /// Between the handle and the display handle.
    private let middle: [UInt8]
    /// After the display handle.
    private let end: [UInt8]

    init(_ event: Event) {
        // The format of json_build_array.
        var text = Array("\"".utf8)
        text.append(comma: event.version)
        text.append(comma: event.at.microsecondsSince1970)
        text.append(comma: event.actor)
        text.append(comma: event.action.rawValue)
        text.append(comma: event.from.rawValue)
        text.append(comma: event.to.rawValue)
        middle = text + ", \"".utf8
        text = Array("\"".utf8)
        text.append(commaHexadecimal: event.owner?.bytes)
        text.append(comma: event.reason)
        text.append(comma: event.related)
        if let until = event.until { text.append(comma: until.microsecondsSince1970) } else { text += ", null".utf8 }
        end = text + "]".utf8
    }

    /// The hash that chains an event of this text to the previous one. ``FindDiscrepancies`` computes the same in SQL.
    /// - Parameter previous: the hash of the handle's event before it, if any.
    func hash(of display: DisplayHandle, after previous: [UInt8]? = nil) -> [UInt8] {
        var text = Self.beginning
        text.reserveCapacity(Self.beginning.count + middle.count + end.count + 2 * PackedASCII.capacity)
        display.handle.letters.append(to: &text)
        text += middle
        display.letters.append(to: &text)
        text += end
        return SHA256(previous ?? [], text).bytes
    }
}

extension [UInt8] {
    mutating func append(comma value: Int64) {
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

    mutating func append(comma text: String?) {
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
