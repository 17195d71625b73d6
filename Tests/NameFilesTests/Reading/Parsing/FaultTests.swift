import Testing

@testable import NameFiles

@Suite struct FaultTests {
    let scratch = Scratch()

    private func read(_ name: String, _ text: String, _ columns: [Selection.Column] = [.usual]) throws -> FileReading {
        try FileReading(scratch.file(name, text), Selection(columns: columns))
    }

    @Test(
        arguments: [
            ("a.csv", "id,name\n\n1,alice\n\r\n", ["-", "alice", "-"], [.empty, nil, .empty]),
            ("a.ndjson", "{\"name\":\"a\"}\n \t\r\n\n", ["a", "-", "-"], [nil, .empty, .empty]),
            ("a.txt", "\n\r\nalice\n \t\n", ["", "", "alice", " \t"], [.empty, .empty, nil, .empty]),
            // All fields are blank. Fields after the last column count only with content.
            ("a.csv", "id,name\n,\n , \n1,alice,,\n2,,\n", ["", " ", "alice", ""], [.empty, .empty, nil, nil]),
            // In a file of lines, a lone return is a part of the name.
            ("a.txt", "a\rb\r\nc\r", ["a\rb", "c\r"], [nil, nil]),
            (
                "a.csv", "id,name\n1,alice\n2\n3,bob,x\n", ["alice", "-", "bob"],
                [nil, .ragged(fields: 1, expected: 2), .ragged(fields: 3, expected: 2)]
            ),
            // The rest of the file is in the quotes.
            ("a.csv", "id,name\n1,alice\n2,\"bob\n3,carol\n", ["alice", "bob\n3,carol\n"], [nil, .unclosedQuote]),
        ] as [(String, String, [String], [RecordFault?])])
    func blankOrRaggedRecordIsAFault(
        _ name: String, _ text: String, _ texts: [String], _ faults: [RecordFault?]
    ) throws {
        let reading = try read(name, text)
        #expect(reading.texts == texts && reading.faults == faults)
    }

    @Test func firstRecordSetsTheNumberOfFieldsWithoutAHeader() throws {
        let reading = try read("a.csv", "1,alice\n2,bob,x\n", [.number(2)])
        #expect(reading.texts == ["alice", "bob"])
        #expect(reading.faults == [nil, .ragged(fields: 3, expected: 2)])
    }

    @Test(arguments: [
        "x", "{", "[]", "\"name\"", "{\"name\":\"a\"}}", "{\"name\":\"a\"} x", "{\"name\":\"a\",}", "{name:1}",
        "{\"name\":\"\\ud800\"}", "{\"name\":\"\\udc00\\ud800\"}", "{\"name\":\"\\x\"}", "{\"name\":\"a\tb\"}",
        "{\"name\":01}", "{\"name\":1.}", "{\"name\":NaN}", "{\"name\":tru}", "{\"name\":\"\\u12g4\"}",
        "{\"name\" \"a\"}",
    ])
    func linesThatAreNotJSONObjectsAreRefused(line: String) throws {
        let reading = try read("a.ndjson", "{\"name\":\"a\"}\n\(line)\n{\"name\":\"b\"}\n")
        #expect(reading.faults == [nil, .notJSON, nil])
        #expect(reading.texts == ["a", "-", "b"])
    }

    @Test func invalidUTF8IsRefusedAsNotJSON() throws {
        let start = Array("{\"name\":\"".utf8)
        let end = Array("\"}\n".utf8)
        for wrong: [UInt8] in [
            [0xFF], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2],
        ] {
            let path = try scratch.file("a.ndjson", start + [0x61] + end + start + wrong + end)
            #expect(try FileReading(path).faults == [nil, .notJSON], "\(wrong)")
        }
    }

    @Test func tooDeepNestingIsRefused() throws {
        let deep = String(repeating: "[", count: 100_000)
        let fine = "{\"name\":\"a\",\"b\":\(String(repeating: "[", count: 100))\(String(repeating: "]", count: 100))}"
        #expect(try read("a.ndjson", "\(fine)\n{\"b\":\(deep)\n").faults == [nil, .notJSON])
    }

    @Test func missingAndNonStringFieldsAreReported() throws {
        let reading = try read(
            "a.ndjson",
            """
            {"name": "alice", "id": "1"}
            {"id": "2"}
            {"name": 3}
            {"name": null}
            {"name": true}
            {"name": {"first": "x"}}
            {"name": []}
            """, [.name("name"), .name("id")])
        #expect(
            reading.faults == [
                nil, .noSuchField("name"), .notText("name", .number), .notText("name", .null),
                .notText("name", .boolean), .notText("name", .object), .notText("name", .array),
            ])
        #expect(reading.texts.prefix(2) == ["alice|1", "-|2"])
    }

    @Test(arguments: [
        (RecordFault.empty, "empty_row", "The line is blank."),
        (.ragged(fields: 1, expected: 2), "ragged_row", "The record has 1 field where 2 belong."),
        (
            .tooLong(bytes: 9), "row_too_long",
            "The record is too long (9 bytes); where fields are quoted, a quote may not have been closed."
        ),
        (.unclosedQuote, "unclosed_quote", "A quote that begins in this record is never closed."),
        (.cut, "cut_row", "The input ends in the middle of this record."),
        (.notJSON, "not_json", "The line is not one valid JSON object."),
        (.noSuchField("id"), "no_such_field", "The object has no field id."),
        (.notText("id", .null), "not_text", "The field id holds null, not a string."),
        (
            .notText("user", .object), "not_text",
            "The field user holds an object, not a string: name a field in it, such as user.name."
        ),
        (.notText("", .number), "not_text", "The element is a number, not a string or an object."),
    ])
    func everyFaultHasACodeAndASentence(fault: RecordFault, code: String, message: String) {
        #expect(fault.code == code)
        #expect(fault.message == message)
    }
}
