import Foundation

/// Parses a stream of server-sent events (WHATWG HTML, 9.2.6), part by part.
struct ServerSentEvents {
    struct Event: Hashable {
        /// `message` if the stream gives no name.
        var name: String
        var data: String
    }

    /// An event is longer than any that the service sends.
    struct TooLong: Error {}

    /// The maximum length of a line, and of the data of one event, in bytes.
    static let longest = 1 << 16

    /// The pause before reconnecting that the stream asks for.
    private(set) var retry: Duration?
    private var line: [UInt8] = []
    private var endsWithCR = false
    private var isFirstLine = true
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false

    /// The events that these bytes complete.
    mutating func read(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            let isPair = byte == UInt8(ascii: "\n") && endsWithCR
            endsWithCR = byte == UInt8(ascii: "\r")
            if isPair { continue }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if let event = endLine() { events.append(event) }
                continue
            }
            line.append(byte)
            guard line.count <= Self.longest, data.count <= Self.longest else { throw TooLong() }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        if line.isEmpty { return endEvent() }
        let field = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(field.count + 1)
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: field, as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            hasData = true
            data += value
        case "retry":
            let digits = String(decoding: value, as: UTF8.self)
            if !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let pause = Int64(digits) {
                retry = .milliseconds(min(pause, 86_400_000))
            }
        // A comment has no field. The ids of the service are in the data too.
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer { (name, data, hasData) = ("", [], false) }
        guard hasData else { return nil }
        return Event(name: name.isEmpty ? "message" : name, data: String(decoding: data, as: UTF8.self))
    }
}
