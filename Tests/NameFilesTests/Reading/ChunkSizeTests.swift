import Testing

@testable import NameFiles

/// The chunk size does not change the records that are read.
@Suite struct ChunkSizeTests {
    static let files: [(name: String, text: String)] = [
        ("a.txt", "alice\nbob\r\n\n\r\nca\rrol\nd\u{e4}ve\n\u{0}\nerin\r"),
        (
            "a.csv",
            "\n\r\nid,\"user\nname\"\r\n1,alice\r\n2,\"b\"\"o\r\nb\"\n\n3\r4,carol,x\n5,\"dave\"x\n6,\"erin\n7,f"
        ),
        ("a.tsv", "\u{FEFF}name\tid\nalice\t1\n\"bo\tb\"\t2\ncarol\t3"),
        (
            "a.ndjson",
            """
            {"id": 1, "name": "alice"}\r

            {"name": "b\\u00f6b", "tags": ["a", {"b": null}]}
            {"name": 7}
            {"id": 4}
            {"name": "carol"} x
            {"name": "d
            {"name":"\\ud83d\\ude00"}
            """
        ),
        ("a", "user,id\nalice,1\n"),
        ("b", "{\"login\": \"alice\"}\n{\"login\": \"bob\"}"),
        ("c", "alice\nbob"),
        ("d", ""),
        ("e.csv", "\n\n\r"),
        ("f", "\u{FEFF}"),
    ]

    @Test(arguments: files.indices, [4, 9, 1024])
    func chunkSizeDoesNotChangeTheRecords(index: Int, longestRecord: Int) throws {
        let (name, text) = Self.files[index]
        let scratch = Scratch()
        let path = try scratch.file(name, text)
        let compressed = try scratch.file("z" + name, scratch.gzip(Array(text.utf8)))
        // If even the header is too long, every chunk size gives the same error.
        let selection = Selection(columns: name.hasSuffix("csv") ? [.number(2)] : [.usual])
        let expected = Result { try FileReading(path, selection, chunkSize: 1 << 16, longestRecord: longestRecord) }
        for chunkSize in 1...64 {
            for path in [path, compressed] {
                let found = Result {
                    try FileReading(path, selection, chunkSize: chunkSize, longestRecord: longestRecord)
                }
                switch (expected, found) {
                case (.success(let expected), .success(let found)):
                    #expect(found == expected, "\(name) in chunks of \(chunkSize)")
                case (.failure(let expected), .failure(let found)):
                    let (expected, found) = (expected as? RecordsError, found as? RecordsError)
                    #expect(expected?.code == found?.code, "\(name) in chunks of \(chunkSize)")
                default: Issue.record("\(name) in chunks of \(chunkSize): \(found), not \(expected)")
                }
            }
        }
    }

    @Test(arguments: files.indices)
    func pipeWrittenByteByByteGivesTheSameRecords(index: Int) throws {
        let (name, text) = Self.files[index]
        let scratch = Scratch()
        let format = Format(path: name)
        let columns: [Selection.Column] = name.hasSuffix("csv") ? [.number(2)] : [.usual]
        let expected = try FileReading(scratch.file(name, text), Selection(columns: columns))
        let found = try FileReading(
            scratch.pipe(Array(text.utf8)), Selection(format: format, columns: columns), chunkSize: 16)
        #expect(found == expected)
        if name == "a.csv" { #expect(found.entries.count == 7) }
    }

    @Test func filesCutAnywhereGiveTheSameRecordsBeforeTheCut() throws {
        let scratch = Scratch()
        for (name, text) in Self.files {
            let bytes = Array(text.utf8)
            let format = Format(path: name) ?? .lines
            // Read without a header, because a header that is cut is not recognised.
            let selection =
                format.separator == nil
                ? Selection(format: format) : Selection(format: format, columns: [.number(1)], header: false)
            let whole = try FileReading(scratch.file("whole", bytes), selection)
            for length in bytes.indices {
                guard let cut = try? FileReading(scratch.file("cut", bytes[..<length]), selection) else { continue }
                // The last record may be incomplete, and the one before may end with half of a CRLF.
                let same = cut.entries.dropLast().filter { $0.fault != .unclosedQuote }
                #expect(same.elementsEqual(whole.entries.prefix(same.count)), "\(name) cut at \(length)")
                #expect(cut.entries.count <= whole.entries.count + 1)
            }
        }
    }
}
