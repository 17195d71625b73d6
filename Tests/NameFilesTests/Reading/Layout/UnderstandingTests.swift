import Testing

@testable import NameFiles

/// Files as people have them are understood, and the note says how.
@Suite struct UnderstandingTests {
    let scratch = Scratch()

    @Test(arguments: [
        "username", "User Name", "USER-NAME", "Benutzername", "sAMAccountName", "Nom d'utilisateur",
        "Nom d’utilisateur",
        "nombre de usuario", "user_login", "uid", "имя пользователя", "ユーザー名",
    ])
    func usualNamesOfTheColumnAreKnown(_ name: String) throws {
        let layout = try scratch.layout("a.csv", "cn,\(name),mail\nAnn,annberg,a@example.org\n")
        #expect(layout.header?[1] == name && layout.columns == [1])
    }

    /// Neither a repeated column nor a number nor an @ hides a header.
    @Test(arguments: ["username,note,note\n", "username,2025,2026\n", "@id,username\n"])
    func certainWordsMakeAHeader(_ text: String) throws {
        #expect(try scratch.layout("a.csv", text).header != nil)
    }

    @Test(arguments: [
        ("a.csv", "account\nadmin\n", false), ("a.csv", "login\nanna\n", true), ("a.txt", "Nutzername\nanna\n", true),
        ("a.txt", "login\nanna\n", false), ("a.txt", "name,x\n", false),
    ])
    func firstNameOfAListIsNoHeader(_ name: String, _ text: String, _ isThere: Bool) throws {
        #expect((try scratch.layout(name, text).header != nil) == isThere)
    }

    @Test(arguments: [
        ("a.csv", "username;x\nanna;1,5\n", ";"), ("a.csv", "username|x\nanna|1\n", "|"),
        ("a.csv", "username\tx\nanna\t1\n", "\t"), ("a.tsv", "username,x\nanna,1\n", ","),
        ("a.csv", "sep=;\nusername;x,y\n", ";"), ("a.csv", "\"sep=|\"\r\nusername|x\r\n", "|"),
        ("a", "anna;1\nbert;2\n", ";"), ("a.csv", "username,x\nanna,1;2\n", ","),
        ("a.csv", "1,5;username\n1,6;anna\n", ";"),
        ("a.csv", "\"a;b\",username\n\"c;d\",x\n", ","), ("a.csv", "anna\nbert;x\n", ","),
        ("a.csv", "username;id\nanna;1\nbert;2;;\n", ";"),
        ("a.csv", "SEP=|\nusername|x\n", "|"),
    ])
    func separatorIsThatOfTheFirstLines(_ name: String, _ text: String, _ separator: Character) throws {
        let layout = try scratch.layout(name, text, Selection(columns: [.number(1)]))
        #expect(layout.format.separator.map { Character(Unicode.Scalar($0)) } == separator)
    }

    @Test func lineOfTheSeparatorIsNoRecord() throws {
        for text in ["sep=;\nusername;x\nanna;1\n", "\nsep=;\r\n\nusername;x\nanna;1\n"] {
            let reading = try FileReading(scratch.file("a.csv", text))
            #expect(reading.texts == ["anna"] && reading.entries[0].line == text.filter(\.isNewline).count)
        }
    }

    /// Windows PowerShell writes the type of its objects into the first line.
    @Test func lineOfTheTypeIsNoRecord() throws {
        let text = "#TYPE Selected.Microsoft.ActiveDirectory\r\n\"uid\",\"SamAccountName\"\r\n\"1\",\"anna\"\r\n"
        let reading = try FileReading(scratch.file("a.csv", text))
        #expect(reading.texts == ["anna"] && reading.entries[0].line == 3)
    }

    /// The columns after the chosen ones, with their names.
    @Test(arguments: [
        ("a.csv", "id,username,Ort\n1,anna,Ulm\n", Selection.Carried.all, ["id", "Ort"], "anna|1|Ulm"),
        ("a.csv", "id,username,Ort\n1,anna,Ulm\n", .some([.name("ort"), .number(1)]), ["Ort", "id"], "anna|Ulm|1"),
        ("a.csv", "username,,x\nanna,b,c\n", .all, ["column_2", "x"], "anna|b|c"),
        ("a.txt", "anna\n", .all, [], "anna"),
        (
            "a.ndjson", #"{"id":7,"username":"anna","tags":["x"],"at":{"city":"U\u006cm"},"ok":true}"#, .all,
            ["id", "ok", "at.city"], "anna|7|true|Ulm"
        ),
        (
            "a.ndjson", #"{"username":"anna","tags":["x"],"none":null}"#,
            .some([.name("Tags"), .name("none"), .name("other")]), ["tags", "none", "other"], "anna|[\"x\"]|-|-"
        ),
    ])
    func carriedColumnsComeLast(
        _ name: String, _ text: String, _ carried: Selection.Carried, _ names: [String], _ fields: String
    ) throws {
        var selection = Selection()
        selection.carried = carried
        #expect(try scratch.layout(name, text, selection).carried == names)
        #expect(try FileReading(scratch.file(name, text), selection).texts == [fields])
    }

    @Test(arguments: [
        ("a.csv", "username,x\nanna,1\n", Selection.Column.name("mail"), "has no column mail"),
        ("a.csv", "username,x\nanna,1\n", .number(3), "has no column 3"), ("a.txt", "anna\n", .name("x"), "no columns"),
        ("a.ndjson", "{\"username\":\"anna\"}\n", .number(1), "no column numbers"),
    ])
    func missingCarriedColumnIsSaid(_ name: String, _ text: String, _ column: Selection.Column, _ words: String) throws
    {
        var selection = Selection()
        selection.carried = .some([column])
        let error = #expect(throws: RecordsError.self) { try scratch.layout(name, text, selection) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test func blanksBeforeAQuoteAreSkipped() throws {
        let text = "handle,id\nanna,  \"4,2\"\n \"bert\" ,\"x\"\n  carla,y \"z\"\n"
        for chunkSize in 1...text.utf8.count {
            let selection = Selection(columns: [.usual, .name("id")])
            let reading = try FileReading(scratch.file("a.csv", text), selection, chunkSize: chunkSize)
            #expect(reading.texts == ["anna|4,2", "bert |x", "  carla|y \"z\""])
        }
    }

    @Test(arguments: [
        (#"["anna", "be\u0072t"]"#, ["anna", "bert"], [1, 1]),
        ("[\n\"anna\",\n\n\"bert\"\n]\n", ["anna", "bert"], [2, 4]),
        (#"[{"name":"anna"},{"id":1,"name":"bert"}]"#, ["anna", "bert"], [1, 1]),
        (
            "{\"n\":[1,2],\"a\":{\"b\":[]},\n\"users\":[\n{\n\"UserName\": \"anna\"\n},\n{\"UserName\":\"b,e]r\"}],\n\"x\":[\"y\"]}",
            ["anna", "b,e]r"], [3, 6]
        ),
        (#"{"users":[{"user":{"login":"anna"}}]}"#, ["anna"], [1]), ("[]", [], []), ("[ \n ]\n", [], []),
        (#"["say \"a\", [b"]"#, ["say \"a\", [b"], [1]),
        (#"{"groups":[{"name":"staff"}],"users":[{"username":"anna"}]}"#, ["anna"], [1]),
        (#"{"groups":[{"id":"staff"}],"users":[{"name":"anna"}],"roles":[{"name":"x"}]}"#, ["anna"], [1]),
        (#"[{"nickname":"x","username":null},{"nickname":"y","username":"bert"}]"#, ["-", "bert"], [1, 1]),
    ])
    func elementsOfAJSONArrayAreRead(_ text: String, _ names: [String], _ lines: [Int]) throws {
        for chunkSize in [1, 2, 3, 5, 8, 64 * 1024] {
            let reading = try FileReading(scratch.file("a.json", text), chunkSize: chunkSize)
            #expect(reading.texts == names, "\(chunkSize)")
            let areRead = zip(reading.faults, names).allSatisfy { ($0 == nil) == ($1 != "-") }
            #expect(areRead, "\(chunkSize)")
            #expect(reading.entries.map(\.line) == lines, "\(chunkSize)")
        }
    }

    @Test(
        arguments: [
            (#"["anna", 7, null, {}, "x"]"#, [nil, .notText("", .number), .notText("", .null), .noSuchField(""), nil]),
            (#"["anna", "be"#, [nil, .cut]), (#"["anna", "bert""#, [nil, .cut]), (#"["anna", tru]"#, [nil, .notJSON]),
            (#"[,"anna"]"#, [.notJSON, nil]),
        ] as [(String, [RecordFault?])])
    func faultyElementIsAFaultOfItsOwn(_ text: String, _ faults: [RecordFault?]) throws {
        for chunkSize in [1, 4, 64 * 1024] {
            #expect(try FileReading(scratch.file("a.json", text), chunkSize: chunkSize).faults == faults)
        }
    }

    /// All rows before the fault are given.
    @Test(arguments: [
        ("[\"anna\",\"bert\",\n", 2, "is cut"), ("[\"anna\",\"be", 2, "is cut"), ("[\"anna\"", 1, "is cut"),
        ("[", 0, "is cut"),
        ("[\"anna\"]\n[\"bert\"]\n", 1, "goes on after its JSON array"), ("[] x", 0, "goes on after its JSON array"),
        ("{\"users\":[{\"name\":\"anna\"}", 1, "is cut"),
    ])
    func arrayThatDoesNotEndWithTheFileIsRefused(_ text: String, _ rows: Int, _ words: String) throws {
        for chunkSize in [1, 3, 64 * 1024] {
            let reading = try FileReading(scratch.file("a.json", text), chunkSize: chunkSize)
            #expect(reading.entries.count == rows && reading.error?.description.contains(words) == true, "\(chunkSize)")
        }
    }

    @Test(arguments: [
        (#"{"errors":[{"x":"y"}],"tags":["z"],"users":[{"user":{"name":"anna"}}],"more":[{"name":"x"}]}"#, "users"),
        (#"{"page":[1,2],"x":{"users":["z"]},"brands":["anna"]}"#, "brands"),
    ])
    func memberWithTheNamesIsFound(_ text: String, _ member: String) throws {
        #expect(try scratch.layout("a.json", text).member == member)
        #expect(try FileReading(scratch.file("a.json", text)).texts == ["anna"])
    }

    @Test func amongListsWithoutUsualNamesNoneIsGuessed() throws {
        #expect(throws: RecordsError.self) { try scratch.layout("a.json", #"{"tags":["x"],"words":["y"]}"#) }
        let owners = Selection(columns: [.usual, .name("id")])
        #expect(throws: RecordsError.self) { try scratch.layout("a.json", #"["anna"]"#, owners) }
        #expect(try scratch.layout("a.json", #"["anna"]"#).note.hasSuffix(": a JSON array"))
    }

    @Test func blankLinesBeforeTheHeaderAreSkipped() throws {
        let reading = try FileReading(scratch.file("a.csv", " \t\n\r\n  \nusername,x\nanna,1\n"))
        #expect(reading.texts == ["anna"] && reading.entries[0].line == 5)
        // Blanks at the start of a line belong to its first field.
        #expect(try FileReading(scratch.file("a.tsv", "\n\tusername\n1\tanna\n")).texts == ["anna"])
    }

    @Test func elementThatIsTooLongIsSkipped() throws {
        let text = "[\"anna\",\n\"\(String(repeating: "\\\"", count: 100))\",\n\"bert\"]"
        for chunkSize in [1, 16, 64] {
            let reading = try FileReading(scratch.file("a.json", text), chunkSize: chunkSize, longestRecord: 40)
            #expect(reading.faults.map { $0?.code } == [nil, "row_too_long", nil])
            #expect(reading.entries.map(\.line) == [1, 2, 3])
        }
    }

    /// Objects one a line stay that, also if one of their members is an array.
    @Test func linesOfObjectsAreNoArray() throws {
        for text in [#"{"tags":["a"],"name":"anna"}"#, "{\"tags\":[\"a\"],\"x\":\"y\"}\n{\"x\":\"z\"}"] {
            let selection = Selection(columns: text.contains("name") ? [.usual] : [.name("x")])
            #expect(try scratch.layout("a.ndjson", text, selection).format == .json)
        }
    }

    @Test func contentDecidesWhereTheNameOfTheFileMisleads() throws {
        #expect(try scratch.layout("a.txt", #"["anna"]"#).format == .array)
        #expect(try scratch.layout("a.txt", "{\"name\":\"anna\"}\n").format == .json)
        #expect(try scratch.layout("a.txt", "[anna\nbert\n").format == .lines)
        #expect(try scratch.layout("a.txt", "insert coin\ncopy cat\ndrop table\ndn\n").format == .lines)
        // An option decides before the content.
        #expect(try scratch.layout("a", "anna,x\nbert,y\n", Selection(format: .tsv)).format == .tsv)
        #expect(try scratch.layout("a", #"["anna"]"#, Selection(format: .lines)).format == .lines)
    }

    @Test func integerIsAnIDInAnArrayToo() throws {
        var selection = Selection(columns: [.usual, .name("id")])
        selection.ids = [1]
        let reading = try FileReading(scratch.file("a.json", #"[{"id":49,"Username":"anna"}]"#), selection)
        #expect(reading.texts == ["anna|49"])
    }

    /// The column of the handles is not used once more for another field.
    @Test func otherNamesOfOptionalColumnsAreKnown() throws {
        let columns: [Selection.Column] = [.usual, .optional("owner"), .optional("reason"), .optional("until")]
        let text = "handle,Account,Grund,Valid until,x\n"
        #expect(try scratch.layout("a.csv", text, Selection(columns: columns)).columns == [0, 1, 2, 3])
        let chosen = Selection(columns: [.name("Account")] + columns.dropFirst())
        #expect(try scratch.layout("a.csv", text, chosen).columns == [1, -1, 2, 3])
    }

    @Test(arguments: [
        (
            "a.csv", "User Name;id;mail;city\nx;1;y;z\n", "CSV with ; between the fields, header in line 1",
            "User Name → handle, id → owner · not used: mail, city"
        ),
        ("a.csv", "\n\nlogin,id\n", "CSV, header in line 3", "login → handle, id → owner"),
        ("a.tsv", "1\tanna\n", "fields with tabs between them, no header", "column 2 → handle, column 1 → owner"),
        (
            "a.json", "{\"all\":[{\"login\":\"x\",\"id\":1}]}", "a JSON array in the member all",
            "login → handle, id → owner"
        ),
        ("a.ndjson", "{\"login\":\"x\",\"id\":1}", "one JSON object a line", "login → handle, id → owner"),
    ])
    func noteSaysHowAFileIsUnderstood(_ name: String, _ text: String, _ kind: String, _ uses: String) throws {
        let columns: [Selection.Column] = uses.contains("column 2") ? [.number(2), .number(1)] : [.usual, .name("id")]
        var selection = Selection(columns: columns)
        selection.roles = ["handle", "owner"]
        selection.ids = [1]
        let path = try scratch.file(name, text)
        #expect(try ChunkReader(path: path, selection: selection).layout.note == "\(path): \(kind)\n  \(uses)")
    }

    @Test func noteIsNoWiderThanATerminal() throws {
        let header = (1...30).map { "column_\($0)" }.joined(separator: ",")
        let note = try scratch.layout("a.csv", "username,\(header)\n").note
        let lines: [Substring] = note.split(separator: "\n")
        #expect(lines.count == 3 && lines[1...].allSatisfy { $0.count <= 80 })
        #expect(
            note.hasSuffix(
                "\n  username → handle\n  not used: column_1, column_2, column_3, column_4, column_5, column_6 …"))
    }

    @Test func noteNamesTheEncodingThatItSuspects() throws {
        let path = try scratch.file("a.txt", Array("anna\ncaf".utf8) + [0xE9, 0x0A])
        let note = try ChunkReader(path: path).layout.note
        #expect(note.hasSuffix("Some of it is not UTF-8. If it is Windows-1252: iconv -f WINDOWS-1252 -t UTF-8"))
        #expect(try scratch.layout("b.txt", "anna\ncafé\n").note.isEmpty)
        // The sample ends within a line, and perhaps within a character.
        for blanks in 0..<3 {
            let names = Array(repeating: "\"café\"", count: 20_000).joined(separator: ",")
            let note = try scratch.layout("c.json", String(repeating: " ", count: blanks) + "[" + names + "]").note
            #expect(!note.isEmpty && !note.contains("UTF-8"))
        }
    }
}
