import HandleRules
import Testing

@testable import NameFiles

private func written(_ bytes: some Sequence<UInt8>, isRaw: Bool = false) -> [UInt8] {
    var written: [UInt8] = []
    CSVText.append(Array(bytes)[...], to: &written, isRaw: isRaw)
    return written
}

private func text(_ field: String, isRaw: Bool = false) -> String {
    String(decoding: written(field.utf8, isRaw: isRaw), as: UTF8.self)
}

@Suite struct CSVTextTests {
    private let scratch = Scratch()

    @Test(arguments: [
        ("alice", "alice"), ("Al_1", "Al_1"), ("", ""), (" alice ", " alice "), ("a=b+c-d@e", "a=b+c-d@e"),
        ("日本", "日本"), ("é😀", "é😀"), ("it's", "it's"), ("a;b|c", "a;b|c"),
        // Formulas get an apostrophe in front.
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@alice", "'@alice"), ("\t=1", "'\\u{9}=1"),
        ("\r=1", "'\\u{d}=1"), ("＝1", "'＝1"), ("＋1", "'＋1"), ("－1", "'－1"), ("＠alice", "'＠alice"),
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"), ("=\"a\"", "\"'=\"\"a\"\"\""), ("=", "'="), ("@", "'@"),
        ("=HYPERLINK(1,2)", "\"'=HYPERLINK(1,2)\""),
        // After a semicolon, the next cell begins for a spreadsheet that separates by it.
        ("x;=1+1", "x;'=1+1"), (";-1;+1;@a;a", ";'-1;'+1;'@a;a"), ("é;＝1", "é;'＝1"), ("x; =1", "x;' =1"),
        ("x;\t=1", "x;'\\u{9}=1"), ("x;\"=1", "\"x;'\"\"=1\""), ("=;=", "'=;'="), ("x;;=", "x;;'="),
        // Invisible characters are escaped.
        ("a\u{0}b", "a\\u{0}b"), ("\u{1B}[31mred", "\\u{1b}[31mred"), ("a\nb", "a\\u{a}b"),
        ("a\r\nb", "a\\u{d}\\u{a}b"),
        ("a\u{7F}", "a\\u{7f}"), ("a\u{85}b", "a\\u{85}b"), ("a\u{9B}b", "a\\u{9b}b"), ("a\u{202E}b", "a\\u{202e}b"),
        ("a\u{2066}b", "a\\u{2066}b"), ("a\u{200B}b", "a\\u{200b}b"), ("a\u{FEFF}b", "a\\u{feff}b"),
        ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"), ("a\u{AD}b", "a\\u{ad}b"), ("a\u{E000}", "a\\u{e000}"),
        ("a\u{E0041}", "a\\u{e0041}"), ("a\u{0378}", "a\\u{378}"), ("a\\u{0}b", "a\\\\u{0}b"), ("a\\", "a\\\\"),
        // Text with commas or quotes is quoted.
        ("say \"hi\"", "\"say \"\"hi\"\"\""), ("a,b", "\"a,b\""), ("\"", "\"\"\"\""), (",", "\",\""), ("a'b", "a'b"),
        ("ä,b", "\"ä,b\""),
    ])
    func textIsWrittenAsOneHarmlessField(_ field: String, _ expected: String) {
        #expect(text(field) == expected)
    }

    /// A sentence may quote the category of a reserved word.
    @Test func sentencesHaveNoFormulaAfterASemicolon() {
        #expect(CSVText.sentence("A word of 'x;=1+1', here.") == "\"A word of 'x;'=1+1', here.\"")
        #expect(CSVText.sentence("back\\slash; and so on") == "back\\slash; and so on")
    }

    @Test(arguments: [
        ([0xFF], "\\x{ff}"), ([0x61, 0xC3], "a\\x{c3}"), ([0xC3, 0x28], "\\x{c3}("), ([0x80, 0x61], "\\x{80}a"),
        ([0xE2, 0x82, 0x61], "\\x{e2}\\x{82}a"), ([0xED, 0xA0, 0x80], "\\x{ed}\\x{a0}\\x{80}"),
        ([0xC0, 0xBD], "\\x{c0}\\x{bd}"), ([0xF0, 0x9F, 0x98], "\\x{f0}\\x{9f}\\x{98}"),
        ([0xF4, 0x90, 0x80, 0x80], "\\x{f4}\\x{90}\\x{80}\\x{80}"), ([0xC3, 0xA9, 0xFF], "é\\x{ff}"),
    ])
    func bytesThatAreNotUTF8AreWrittenAsEscapes(_ bytes: [UInt8], _ expected: String) {
        #expect(String(decoding: written(bytes), as: UTF8.self) == expected)
    }

    @Test(arguments: ["a", "é", "😀", "\u{0}"]) func textIsCutAt200Characters(_ character: String) {
        let one = text(character)
        #expect(text(String(repeating: character, count: 200)) == String(repeating: one, count: 200))
        #expect(text(String(repeating: character, count: 201)) == String(repeating: one, count: 200) + "…")
        #expect(text(String(repeating: character, count: 100_000)) == String(repeating: one, count: 200) + "…")
    }

    @Test func rawTextIsNotCut() {
        let long = String(repeating: "a", count: 100_000)
        #expect(text(long, isRaw: true) == long)
    }

    /// Any text is written as one field of one record in one line, and starts no formula.
    @Test func everyTextIsReadBackAsOneFieldOfOneRecord() throws {
        let fields = try Self.fields(count: 4000)
        let table = try table(of: fields, isRaw: false)
        try #require(table.rows.count == fields.count)
        for (row, field) in fields.enumerated() {
            let read = table.rows[row][0]
            let isOneLine = !read.contains { $0 < 0x20 || $0 == 0x7F }
            let isText = String(validating: read, as: UTF8.self) != nil
            let startsFormula = read.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).contains {
                $0.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
            }
            if !isOneLine || !isText || startsFormula { Issue.record("\(field) is written as \(read)") }
        }
    }

    /// With `--raw` a CSV reader gets the bytes of the input back.
    @Test func rawTextIsReadBackByteForByte() throws {
        let fields = try Self.fields(count: 4000)
        let table = try table(of: fields, isRaw: true)
        try #require(table.rows.count == fields.count)
        for (row, field) in fields.enumerated() where table.rows[row][0] != field {
            Issue.record("\(field) is read as \(table.rows[row][0])")
        }
    }

    private func table(of fields: [[UInt8]], isRaw: Bool) throws -> CSVTable {
        let file = fields.reduce(into: Array("field,end\n".utf8)) { file, field in
            CSVText.append(field[...], to: &file, isRaw: isRaw)
            file += Array(",x\n".utf8)
        }
        return try CSVTable(scratch.file("fields.csv", file), columns: 2)
    }

    /// Random names, and random sequences of pieces that are special to CSV, spreadsheets or terminals.
    private static func fields(count: Int) throws -> [[UInt8]] {
        var maker = try NameMaker(seed: 3)
        let pieces =
            [
                "\"", "\"\"", ",", ";", "\n", "\r\n", "\r", "\t", "=", "+", "-", "@", "'", "\\", "＝", "a", "é", "😀",
                "\u{202E}", "\u{0}",
                " ", "\u{1B}", "\u{2028}",
            ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xE2, 0x82]]
        return (0..<count).map { number in
            number % 2 == 0 ? maker.next() : (0..<(number / 2 % 6 + 1)).flatMap { _ in maker.one(of: pieces) }
        }
    }
}
