import HandleRules
import Testing

@testable import HandleClient

@Suite struct ServerSentEventsTests {
    /// In each case `|` stands for a line feed, and `^` for a carriage return.
    @Test(arguments: [
        ("data: a||", ["message a"]), ("event: x|data:a|data:|data: b||", ["x a|| b"]),
        ("event: x||data: a||", ["message a"]),
        (": a comment|data: a||", ["message a"]), ("data||", ["message "]),
        ("data: a^^data: b^|^|", ["message a", "message b"]),
        ("data: a", []), ("data: a|", []), ("data:  a||", ["message  a"]),
        ("id: 1|unknown: x|data: a||", ["message a"]),
        ("\u{FEFF}data: a||", ["message a"]), ("data: a|||data: b||", ["message a", "message b"]), ("|||", []),
        ("data: é\u{1F600}||", ["message é\u{1F600}"]),
    ])
    func eventsAreReadFromPartsOfAnySize(_ picture: String, _ expected: [String]) throws {
        let bytes = Array(picture.replacing("|", with: "\n").replacing("^", with: "\r").utf8)
        let wanted = expected.map { $0.replacing("|| ", with: "\n\n") }
        for size in 1...max(1, bytes.count) {
            var events = ServerSentEvents()
            var read: [String] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                read += try events.read(bytes[start..<min(start + size, bytes.count)]).map { "\($0.name) \($0.data)" }
            }
            #expect(read == wanted, "in parts of \(size)")
        }
    }

    /// An invalid field is ignored.
    @Test(
        arguments: [
            ("2000", .seconds(2)), ("0", .zero), ("99999999999", .seconds(86_400)), ("", nil), ("-1", nil), ("x", nil),
            ("1e3", nil), ("99999999999999999999999", nil),
        ] as [(String, Duration?)])
    func retryFieldSetsThePauseBeforeTheNextConnection(_ text: String, _ pause: Duration?) throws {
        var events = ServerSentEvents()
        #expect(try events.read(Array("retry: \(text)\n\n".utf8)).isEmpty)
        #expect(events.retry == pause)
    }

    @Test func eventWithoutAnEndThrowsTooLong() {
        var events = ServerSentEvents()
        #expect(throws: ServerSentEvents.TooLong.self) {
            for _ in 0...66 { _ = try events.read(Array(repeating: UInt8(ascii: "a"), count: 1000)) }
        }
        var lines = ServerSentEvents()
        #expect(throws: ServerSentEvents.TooLong.self) {
            for _ in 0...66 { _ = try lines.read(Array("data: ".utf8) + Array(repeating: 97, count: 1000) + [10]) }
        }
    }

    @Test func randomBytesNeverThrow() throws {
        var random = SeededGenerator(seed: 21)
        let pool = Array("data: event: retry: \n\n\n\r\r:".utf8) + [0, 0xFF, 0xEF, 0xBB, 0xBF, 0x80]
        for _ in 0..<2000 {
            var events = ServerSentEvents()
            let bytes = (0..<200).map { _ in pool.randomElement(using: &random) ?? 0 }
            _ = try events.read(bytes)
        }
    }
}
