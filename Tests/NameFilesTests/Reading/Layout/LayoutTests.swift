import Testing

@testable import NameFiles

@Suite struct LayoutTests {
    let scratch = Scratch()

    @Test(arguments: [
        ("a.csv", Format.csv), ("a.CSV.gz", .csv), ("x/a.tsv", .tsv), ("a.tab", .tsv), ("a.ndjson", .json),
        ("a.jsonl", .json), ("a.json.gzip", .json), ("a.b.txt", .lines), ("csv", nil), ("a.csv/x", nil), ("a.gz", nil),
        ("-", nil), ("", nil),
    ])
    func fileNameDeterminesTheFormat(path: String, format: Format?) {
        #expect(Format(path: path) == format)
    }

    @Test(arguments: [
        ("{\"name\":\"a,b\"}\n", Format.json), ("name\tid,x\n", .tsv), ("name,id\n", .csv), ("alice\nbob,x\n", .lines),
        ("\r\n\nname,id\n", .csv), ("", .lines), ("  {\"name\": \"a\"}", .json),
    ])
    func firstLineDeterminesTheFormat(text: String, format: Format) throws {
        #expect(try scratch.layout("a", text).format == format)
    }

    @Test func columnNameOrHeaderOptionMeansCSV() throws {
        #expect(try scratch.layout("a", "login\nalice\n", Selection(columns: [.name("login")])).format == .csv)
        #expect(try scratch.layout("a", "people\nalice\n", Selection(header: true)).header == ["people"])
    }

    @Test(arguments: [
        ("id,name\n", true), ("ID, User_Name \n", true), (",username\n", true), ("1,name\n", false),
        ("name,name\n", false), ("login,a@example.org\n", false), ("alice,bob\n", false), ("login\n", true),
        ("email,x,y\n", true), ("name,id,id\n", true), ("\u{200B}id\u{FEFF},x\n", true),
    ])
    func headerIsDetected(text: String, isThere: Bool) throws {
        #expect((try scratch.layout("a.csv", text, Selection(columns: [.number(1)])).header != nil) == isThere)
    }

    @Test(arguments: [
        ("id,name,user", 2), ("nick,Handle", 1), ("name,nickname,screen_name", 2), ("only", 0), ("user_name,login", 0),
    ])
    func usualColumnIsTheLikeliestOne(header: String, place: Int) throws {
        #expect(try scratch.layout("a.csv", header + "\n", Selection(header: true)).columns == [place])
    }

    @Test func columnsAreGivenInTheRequestedOrderWithRepetitions() throws {
        let columns: [Selection.Column] = [.name("C"), .number(1), .usual, .name("c")]
        let path = try scratch.file("a.csv", "id,name,c\n1,alice,\"x\"\"y\"\n2\n")
        let reader = try ChunkReader(path: path, selection: Selection(columns: columns))
        #expect(reader.layout.columns == [2, 0, 1, 2])
        #expect(reader.layout.fields == 3)
        #expect(try FileReading(reader).texts == ["x\"y|1|alice|x\"y", "-|2|-|-"])
    }

    @Test func progressCountsTheBytesOfTheCompressedFile() throws {
        let compressed = try scratch.gzip(Array(repeatElement("alice\n", count: 1000).joined().utf8))
        let reader = try ChunkReader(path: scratch.file("a", compressed))
        while try reader.next() != nil {}
        #expect(reader.progress == (compressed.count, compressed.count))
    }

    @Test(arguments: [("a\n", true), ("a", false), ("", true), ("a\r", false), ("a,b\r", true)])
    func missingEndOfTheLastLineIsDetected(text: String, isThere: Bool) throws {
        let reader = try ChunkReader(path: scratch.file("a", text), selection: Selection(columns: [.number(1)]))
        while try reader.next() != nil {}
        #expect(reader.endsWithLineEnd == isThere)
    }

    /// An optional column: present, missing, and with an empty value.
    @Test(arguments: [
        ("a.csv", "note,handle\nhi,alice\n,bob\n", ["alice|hi", "bob|"]), ("a.csv", "handle\nalice\n", ["alice|-"]),
        ("a.csv", "handle,NOTE\nalice,x\n", ["alice|x"]), ("a.txt", "alice\nbob\n", ["alice|-", "bob|-"]),
        (
            "a.ndjson", #"{"handle":"alice","note":"x"}"# + "\n" + #"{"handle":"bob","note":null}"#,
            ["alice|x", "bob|-"]
        ),
        ("a.ndjson", #"{"handle":"alice"}"#, ["alice|-"]),
        ("a.ndjson", #"{"handle":"alice","note":1}"#, ["alice|-|not_text"]),
    ])
    func optionalColumnMayBeMissing(_ name: String, _ text: String, _ expected: [String]) throws {
        let selection = Selection(columns: [.usual, .optional("note")])
        // With one record a chunk, nothing may be left over from the chunk before.
        for chunkSize in [1, 4096] {
            let reading = try FileReading(scratch.file(name, text), selection, chunkSize: chunkSize)
            let found = reading.entries.map { $0.text + ($0.fault.map { "|\($0.code)" } ?? "") }
            #expect(found == expected)
        }
    }
}
