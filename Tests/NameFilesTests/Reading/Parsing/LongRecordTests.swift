import Testing

@testable import NameFiles

/// A record that is too long is one record without fields, and later records keep their line numbers.
@Suite struct LongRecordTests {
    let scratch = Scratch()
    let long = String(repeating: "x", count: 5000)

    @Test(arguments: [1, 64, 4096, 65536], ["\n", "\r\n"])
    func linesAfterATooLongLineKeepTheirNumbers(chunkSize: Int, lineEnd: String) throws {
        let text = ["alice", long, "bob", String(repeating: "y", count: 100), ""].joined(separator: lineEnd)
        let reading = try FileReading(scratch.file("a.txt", text), chunkSize: chunkSize, longestRecord: 100)
        #expect(reading.faults == [nil, .tooLong(bytes: 5000), nil, nil])
        #expect(reading.texts.prefix(3) == ["alice", "-", "bob"])
        #expect(reading.entries.map(\.line) == [1, 2, 3, 4])
        #expect(reading.lines == 4)
    }

    @Test(arguments: [1, 64, 4096, 65536])
    func recordsAfterATooLongQuotedRecordKeepTheirLines(chunkSize: Int) throws {
        let many = String(repeating: "a\nb\r\nc\rd\"\"", count: 500)
        let text = "id,name\n1,alice\n2,\"\(many)\"\r\n3,bob\n4,\"x\ny\"\n5,carol\n"
        let reading = try FileReading(scratch.file("a.csv", text), chunkSize: chunkSize, longestRecord: 100)
        #expect(reading.faults == [nil, .tooLong(bytes: 4 + many.utf8.count), nil, nil, nil])
        #expect(reading.texts == ["alice", "-", "bob", "x\ny", "carol"])
        #expect(reading.entries.map(\.line) == [2, 3, 1504, 1505, 1507])
        #expect(reading.lines == 1507)
    }

    @Test(arguments: 10...40)
    func quoteInATooLongUnquotedFieldStaysText(place: Int) throws {
        // Wherever the reader continues inside the record, no field begins there.
        let text = "1,a\n\(String(repeating: "x", count: place))\"x,x\n3,b\n"
        let selection = Selection(format: .csv, columns: [.number(2)])
        let reading = try FileReading(scratch.file("a.csv", text), selection, chunkSize: 1, longestRecord: 8)
        #expect(reading.faults == [nil, .tooLong(bytes: place + 4), nil])
        #expect(reading.texts == ["a", "-", "b"])
    }

    @Test(arguments: [1, 64, 65536])
    func lastRecordMayBeTooLong(chunkSize: Int) throws {
        let reading = try FileReading(
            scratch.file("a.csv", "id,name\n1,\"\(long)\n\n\n"), chunkSize: chunkSize, longestRecord: 100)
        #expect(reading.faults == [.tooLong(bytes: 5006)])
        #expect(reading.lines == 4)
        let lines = try FileReading(scratch.file("a.txt", "a\n\(long)"), chunkSize: chunkSize, longestRecord: 100)
        #expect(lines.faults == [nil, .tooLong(bytes: 5000)])
        #expect(lines.lines == 2)
        #expect(!lines.endsWithLineEnd)
    }

    @Test(arguments: [1, 64, 65536])
    func tooLongJSONLineIsOneFault(chunkSize: Int) throws {
        let text = "{\"name\":\"a\"}\n{\"name\":\"\(long)\"}\r\n{\"name\":\"b\"}"
        let reading = try FileReading(scratch.file("a.jsonl", text), chunkSize: chunkSize, longestRecord: 100)
        #expect(reading.faults == [nil, .tooLong(bytes: 5011), nil])
        #expect(reading.texts == ["a", "-", "b"])
    }

    @Test func recordOfExactlyTheLimitIsRead() throws {
        for (count, fault) in [(100, nil), (101, RecordFault.tooLong(bytes: 101))] {
            for lineEnd in ["", "\n", "\r\n"] {
                for chunkSize in [1, 100, 101, 102, 103, 4096] {
                    let text = String(repeating: "x", count: count) + lineEnd
                    let path = try scratch.file("a.txt", text)
                    let reading = try FileReading(path, chunkSize: chunkSize, longestRecord: 100)
                    #expect(reading.faults == [fault], "\(count) in chunks of \(chunkSize)")
                }
            }
        }
    }
}
