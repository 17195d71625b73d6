package import HandleRules

/// Writes JSON (RFC 8259) into bytes, in the order of the calls.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// True if a comma goes before the next element.
    private var needsComma = false

    package init(reservingCapacity capacity: Int = 512) { bytes.reserveCapacity(capacity) }

    package mutating func object(_ body: (inout JSONWriter) -> Void) { nested("{", "}", body) }
    package mutating func array(_ body: (inout JSONWriter) -> Void) { nested("[", "]", body) }

    /// The name of the next member.
    package mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// The name of the next member, if known only at run time.
    package mutating func key(name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            guard utf8.allSatisfy(Self.isPlain) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        if !isPlain { for scalar in text.unicodeScalars { append(escaped: scalar) } }
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func integer(_ value: some BinaryInteger) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// A number; a string for one that JSON has no form for.
    package mutating func number(_ value: Double) {
        guard value.isFinite else { return string("\(value)") }
        separate()
        bytes.append(contentsOf: "\(value)".utf8)
    }

    package mutating func boolean(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Ends a line. The next value begins a new text.
    package mutating func newLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// A string of the letters of a handle, which need no escaping.
    package mutating func string(_ letters: PackedASCII) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        letters.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    // MARK: Members

    /// A string of the letters of a handle, which need no escaping.
    package mutating func member(_ name: StaticString, _ letters: PackedASCII?) {
        key(name)
        if let letters { string(letters) } else { null() }
    }

    package mutating func member(_ name: StaticString, _ text: String?) {
        key(name)
        if let text { string(text) } else { null() }
    }

    package mutating func member(_ name: StaticString, _ value: some BinaryInteger) {
        key(name)
        integer(value)
    }

    // MARK: Parts

    private mutating func nested(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: open))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// True if a byte is a whole character that needs no escaping in a string.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Appends a character of a string. One that could control a terminal, or reorder the text beside it, is escaped
    /// although RFC 8259 asks that only of those below U+0020.
    private mutating func append(escaped scalar: Unicode.Scalar) {
        if scalar == "\"" || scalar == "\\" {
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(UInt8(ascii: scalar))
        } else if scalar.controlsText {
            let digits = Array("0123456789abcdef".utf8)
            for unit in scalar.utf16 {
                bytes.append(contentsOf: "\\u".utf8)
                for place in [12, 8, 4, 0] { bytes.append(digits[Int(unit >> UInt16(place) & 15)]) }
            }
        } else {
            bytes.append(contentsOf: scalar.utf8)
        }
    }
}
