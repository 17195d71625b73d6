import HandleCore
import Hashing
import Postgres

import struct FoundationEssentials.Date

extension Event {
    var handle: Handle { display.handle }

    /// The hash that chains this event to the previous one, with the hash `previous`. Equal to ``AppendEvent/hash``.
    func hash(after previous: [UInt8]?) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(256)
        // The format of json_build_array.
        text += "[\"".utf8
        handle.letters.append(to: &text)
        text += "\"".utf8
        text.append(comma: version)
        text.append(comma: at.microseconds)
        for word in [actor, action.rawValue, from.rawValue, to.rawValue] { text.append(comma: word) }
        text += ", \"".utf8
        display.letters.append(to: &text)
        text += "\"".utf8
        for word in [owner?.description, reason, related] { text.append(comma: word) }
        if let until { text.append(comma: until.microseconds) } else { text.append(comma: String?.none) }
        text += "]".utf8
        return SHA256(previous ?? [], text).bytes
    }
}

extension CopyRows {
    /// Rows of `handle_events`.
    static func events(reservingCapacity capacity: Int = 0) -> CopyRows {
        CopyRows(
            table: "handle_events",
            columns: [
                "handle", "version", "at", "actor", "action", "from_state", "to_state", "display", "owner", "reason",
                "related", "until", "hash",
            ], reservingCapacity: capacity)
    }

    /// Adds an event made in Swift, not by the statement that makes the change.
    /// - Returns: its hash.
    @discardableResult
    mutating func add(_ event: Event, after previous: [UInt8]?) -> [UInt8] {
        let hash = event.hash(after: previous)
        beginRow()
        add { event.handle.letters.append(to: &$0) }
        add(event.version)
        add(event.at)
        add(event.actor)
        add(event.action.rawValue)
        add(event.from.rawValue)
        add(event.to.rawValue)
        add { event.display.letters.append(to: &$0) }
        if let owner = event.owner { add { $0 += owner.bytes } } else { addNull() }
        add(event.reason)
        add(event.related)
        add(event.until)
        add { $0 += hash }
        return hash
    }
}

extension [UInt8] {
    fileprivate mutating func append(comma value: Int64) {
        self += ", ".utf8
        self += String(value).utf8
    }

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
