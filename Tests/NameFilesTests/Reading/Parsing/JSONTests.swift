import HandleRules
import HandleWords
import Testing

@testable import NameFiles

@Suite struct JSONTests {
    let scratch = Scratch()

    private func read(_ text: String, _ columns: [Selection.Column]) throws -> FileReading {
        try FileReading(scratch.file("a.ndjson", text), Selection(columns: columns))
    }

    @Test(arguments: [
        (#"{"user":{"name":"a"}}"#, "user.name", "a"),
        (#"{"user.name":"b","user":{"name":"a"}}"#, "user.name", "b"),
        (#"{"user":{"name":"a"},"user.name":"b"}"#, "user.name", "b"),
        (#"{"a":{"b.c":"x"}}"#, "a.b.c", "x"),
        (#"{"a.b":{"c":"x"}}"#, "a.b.c", "x"),
        (#"{"a":{"b":{"c":"x","d":1}}}"#, "a.b.c", "x"),
        (#"{"us\u0065r":{"n\/":"x"}}"#, "user.n/", "x"),
        (
            #"{"a":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00"}"#, "a",
            "\"\\/\u{8}\u{C}\n\r\tA\u{e9}\u{20ac}\u{1F600}"
        ),
        (#"{"a":""}"#, "a", ""),
        (#" { "b" : [ 1 , -0.5e+3 , { } ] , "a" : "x" } "#, "a", "x"),
    ])
    func fieldIsFoundByItsPath(line: String, path: String, value: String) throws {
        let reading = try read(line, [.name(path), .name(path)])
        #expect(reading.entries.first?.fields == [Array(value.utf8), Array(value.utf8)])
        #expect(reading.faults == [nil])
    }

    /// Two values for one field: JSON parsers differ in the one that they take.
    @Test(arguments: [
        (#"{"a":"first","a":"last"}"#, "a"), (#"{"a":"x","\u0061":1}"#, "a"), (#"{"a":{"b":"x","b":"x"}}"#, "a.b"),
        (#"{"a":{"b":"x"},"a":{}}"#, "a.b"), (#"{"a.b":"x","a.b":null}"#, "a.b"),
    ])
    func repeatedFieldIsAFaultOfItsRow(line: String, path: String) throws {
        for column in [Selection.Column.name(path), .optional(path)] {
            let reading = try read(line + "\n" + #"{"a":"y","a.b":"z","other":1,"other":2}"#, [column])
            #expect(reading.faults == [.repeatedField(path), nil])
        }
    }

    @Test(arguments: [
        ("49", "49"), ("-5", "-5"), ("0", "0"), ("900719925474099301234", "900719925474099301234"), (#""49""#, "49"),
        ("49.0", nil), ("4.9e1", nil), ("1E2", nil), ("true", nil), ("[49]", nil), ("null", nil),
    ])
    func integerIsReadAsAnID(_ value: String, _ expected: String?) throws {
        var selection = Selection(columns: [.name("name"), .optional("id")])
        selection.ids = [1]
        let path = try scratch.file("a.ndjson", #"{"id":\#(value),"name":"a"}"# + "\n" + #"{"id":"x","name":7}"#)
        let reading = try FileReading(path, selection)
        #expect(reading.entries.first?.fields.last == expected.map { Array($0.utf8) })
        #expect((reading.faults[0] == nil) == (expected != nil || value == "null"))
        // A name is text.
        #expect(reading.faults.last == .notText("name", .number))
    }

    @Test func pathThroughAMissingObjectFindsNoField() throws {
        #expect(try read(#"{"a":"x"}"#, [.name("a.b")]).faults == [.noSuchField("a.b")])
        #expect(try read(#"{"a":{}}"#, [.name("a.b")]).faults == [.noSuchField("a.b")])
    }

    /// Generated lines are read as Python reads them. Python alone accepts lone surrogates and NaN, so the script
    /// refuses those.
    @Test(.enabled(if: Python.isThere, "python3 is not installed"))
    func jsonLinesAreReadAsPythonReadsThem() throws {
        var generator = SeededGenerator(seed: 11)
        let lines = (0..<5000).map { _ in Self.line(&generator) }
        var answer = try Python.run(
            """
            def refuse(word): raise ValueError(word)
            def check(pairs):
                # The values of repeated keys must be valid too.
                json.dumps(pairs, ensure_ascii=False).encode('utf-8')
                # A field that is there twice has no value.
                return dict(pairs) if [key for key, _ in pairs].count('name') < 2 else {}
            for line in inputs:
                try:
                    value = json.loads(line.decode('utf-8'), parse_constant=refuse, object_pairs_hook=check)
                    found = value['name'] if isinstance(value, dict) and 'name' in value else None
                    kind = 1 if isinstance(found, str) else 2 if isinstance(value, dict) else 0
                except (ValueError, RecursionError):
                    kind = 0
                number(kind)
                if kind == 1: put(found.encode('utf-8'))

            """, lines)
        let path = try scratch.file("a.ndjson", Array(lines.joined(separator: [0x0A])))
        let reading = try FileReading(path, Selection(columns: [.name("name")]))
        #expect(reading.entries.count == lines.count)
        var counts = [0, 0, 0]
        for (entry, line) in zip(reading.entries, lines) {
            let kind = answer.number()
            counts[kind] += 1
            let text = String(decoding: line, as: UTF8.self)
            if kind == 0 {
                #expect(entry.fault == .notJSON || entry.fault == .empty, "\(text)")
            } else if kind == 1 {
                #expect(entry.fields == [answer.string()] && entry.fault == nil, "\(text)")
            } else {
                #expect(entry.fault != nil && entry.fault != .notJSON, "\(text)")
            }
        }
        #expect(counts.allSatisfy { $0 > 300 }, "\(counts)")
    }

    private static func line(_ generator: inout SeededGenerator) -> [UInt8] {
        var line = Array("{".utf8)
        for index in 0..<Int.random(in: 1...3, using: &generator) {
            if index > 0 { line += Array(", ".utf8) }
            line += Array(
                ["\"name\"", "\"n\\u0061me\"", "\"id\"", "\"\""].randomElement(using: &generator)?.utf8 ?? "".utf8)
            line += Array(":".utf8) + value(&generator, depth: 0)
        }
        line += Array("}".utf8)
        // One in three is damaged in one place.
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let place = Int.random(in: 0..<line.count, using: &generator)
            let noise = Array("\"\\{}[],:0-eu\t \u{1}".utf8) + [0xC3, 0xFF]
            if Bool.random(using: &generator) {
                line.remove(at: place)
            } else {
                line.insert(noise.randomElement(using: &generator) ?? 0, at: place)
            }
        }
        return line
    }

    private static func value(_ generator: inout SeededGenerator, depth: Int) -> [UInt8] {
        let strings = [
            "\"alice\"", "\"\"", "\"\\u00e9\\n\"", "\"\\ud83d\\ude00x\"", "\"\\ud83dx\"", "\"\u{e9}\u{20ac}\u{1F600}\"",
            "\"a long name that takes more than one word\"", "\"\\\"\\\\\"", "\"\\ude00\"", "\"\\u0000\"",
        ]
        let others = ["0", "-1.5e10", "01", "1.", "-", "true", "nul", "null", "false", "{}", "[]", "NaN", "1E-2"]
        switch Int.random(in: 0..<10, using: &generator) {
        case 0 where depth < 3: return Array("[".utf8) + value(&generator, depth: depth + 1) + Array("]".utf8)
        case 1 where depth < 3: return Array("{\"name\":".utf8) + value(&generator, depth: depth + 1) + Array("}".utf8)
        case 2, 3: return Array((others.randomElement(using: &generator) ?? "0").utf8)
        default: return Array((strings.randomElement(using: &generator) ?? "\"\"").utf8)
        }
    }
}
