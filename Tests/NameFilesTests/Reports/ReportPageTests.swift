import HandleRegistry
import HandleRules
import HandleWords
import NameFiles
import TestSupport
import Testing

import struct FoundationEssentials.Date

@testable import NameFiles

@Suite struct ReportPageTests {
    private let scratch = Scratch()

    private func summary(_ input: String, jobs: Int = 2, hasRepairs: Bool = false) async throws -> Summary {
        var options = ValidateJob.Options(style: ReportStyle(format: .csv, valid: .left), jobs: jobs)
        (options.style.hasExamples, options.style.hasRepairs) = (true, hasRepairs)
        let job = ValidateJob(words: try ReservedWords.builtIn(), policy: Policy(), options: options)
        let refused = try OutputFile(path: "\(scratch.path)/refused", input: input)
        return try await job.run(path: input, valid: nil, refused: refused) { _ in }
    }

    private func page(_ summary: Summary, path: String = "names.txt", note: String = "") -> String {
        let page = ReportPage(path: path, note: note, date: Date(timeIntervalSince1970: 1e9), summary: summary)
        return String(decoding: page.html, as: UTF8.self)
    }

    // MARK: Text

    @Test(arguments: [
        ("<script>alert(1)</script>", "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>"),
        ("a&b\"c'd", "<bdi>a&amp;b&quot;c&#39;d</bdi>"), ("&lt;", "<bdi>&amp;lt;</bdi>"),
        // A mark that joins a character before it hides it from code that compares whole characters.
        ("<\u{301}b>\"\u{301}", "<bdi>&lt;\u{301}b&gt;&quot;\u{301}</bdi>"),
        ("a\u{202E}b\u{2066}", "<bdi>a\\u{202e}b\\u{2066}</bdi>"), ("a\u{0}\u{85}b", "<bdi>a\\u{0}\\u{85}b</bdi>"),
        ("مح مد", "<bdi>مح مد</bdi>"), ("a\\b", "<bdi>a\\\\b</bdi>"),
        (String(repeating: "é", count: 65), "<bdi>\(String(repeating: "é", count: 64))…</bdi>"),
    ])
    func namesAreEscapedIsolatedAndCut(_ name: String, _ shown: String) async throws {
        let page = page(try await summary(try scratch.file("names.txt", name + "\n")))
        #expect(page.contains("<td>1</td><td><div><span>\(shown) <small>"))
    }

    @Test func namesThatAreNotUTF8AreEscaped() async throws {
        let page = page(try await summary(try scratch.file("names.txt", [0x3C, 0xFF, 0xC3, 0x3E, 0x0A])))
        #expect(page.contains("<bdi>&lt;\\x{ff}\\x{c3}&gt;</bdi>"))
    }

    @Test func nameAndColumnsOfTheFileAreEscaped() throws {
        let path = "/tmp/a/b<i>\"\u{202E}.csv"
        let note = "\(path): CSV, header in line 1\n  na<b>me → handle · not used: \u{202E}id"
        let page = page(Summary(), path: path, note: note)
        #expect(page.contains("<title>b&lt;i&gt;&quot;\\u{202e}.csv: validation of names</title>"))
        #expect(page.contains("<h1><bdi>b&lt;i&gt;&quot;\\u{202e}.csv</bdi></h1>"))
        #expect(page.contains("<dd><bdi>CSV, header in line 1</bdi></dd>"))
        #expect(page.contains("<dd><bdi>na&lt;b&gt;me → handle · not used: \\u{202e}id</bdi></dd>"))
        #expect(page.contains(">2001-09-09 01:46 UTC</time>"))
    }

    /// Names of all kinds add no tag, and no character that could change the text around them.
    @Test(arguments: Sample.allCases) func noNameBecomesMarkup(_ sample: Sample) async throws {
        let file = try scratch.file(sample.rawValue, sample.bytes(rows: 3000))
        let page = page(try await summary(file, hasRepairs: true))
        let tags: Set<Substring> = [
            "!doctype", "html", "head", "meta", "title", "style", "body", "header", "p", "h1", "h2", "h3", "bdi", "dl",
            "dt", "dd", "time", "main", "section", "div", "i", "table", "thead", "tbody", "tr", "th", "td", "a", "span",
            "small", "code", "strong", "ul", "li", "footer",
        ]
        let found = page.unicodeScalars.split(separator: "<").map { piece in
            Substring(piece.drop { $0 == "/" }.prefix { $0 != " " && $0 != ">" && $0 != "\n" })
        }
        #expect(found.filter { !tags.contains($0) } == [])
        #expect(!page.unicodeScalars.contains { $0.controlsText && $0 != "\n" })
    }

    // MARK: Content

    @Test(arguments: [Sample.csv, .json]) func pageIsTheSameForAnyNumberOfJobs(_ sample: Sample) async throws {
        let file = try scratch.file(sample.rawValue, sample.bytes(rows: 6000))
        let one = page(try await summary(file, jobs: 1, hasRepairs: true))
        let eight = page(try await summary(file, jobs: 8, hasRepairs: true))
        let isSame = one == eight
        #expect(isSame)
    }

    @Test func examplesAreThoseOfTheOtherReport() async throws {
        let file = try scratch.file("names.csv", Sample.csv.bytes(rows: 6000))
        let examples = try await summary(file, hasRepairs: true).examples
        let table = try CSVTable("\(scratch.path)/refused", columns: 10)
        var refused: [Int: Int] = [:]
        for row in table.rows.indices { refused[try #require(Int(table.text(row, 1)))] = row }
        for code in Reason.Code.allCases {
            let rows = table.rows.indices.filter { ":;\(table.text($0, 6))".contains(";\(code.rawValue)") }
            #expect(examples[.reason(code)] == rows.count, "\(code)")
            for example in examples.rows(of: .reason(code)) {
                let row = try #require(refused[example.record])
                #expect(Int(table.text(row, 0)) == example.line && rows.contains(row))
                #expect(examples.repair(of: example)?.description ?? "" == table.text(row, 9))
            }
        }
        let repairs = table.rows.indices.count { !table.text($0, 9).isEmpty }
        #expect(repairs > 1000 && examples.repaired == repairs && examples.repairable >= repairs)
    }

    @Test func examplesAreTheFirstDifferentNames() async throws {
        let names = ["1", "12", "1", "12"] + (0..<40_000).map { "\($0 % 11_000)" }
        let examples = try await summary(try scratch.file("names.txt", names.joined(separator: "\n"))).examples
        let digits = Examples.Topic.reason(.allDigits)
        #expect(examples[digits] == names.count)
        let shown = examples.rows(of: digits).map { String(decoding: $0.input, as: UTF8.self) }
        #expect(shown == ["1", "12", "0", "2", "3", "4", "5", "6", "7", "8"])
        #expect(examples.rows(of: digits).map(\.line) == [1, 2, 5, 7, 8, 9, 10, 11, 12, 13])
    }

    /// The longest text that a name can have in the page is that of an invisible character.
    @Test func sizeOfThePageIsBounded() async throws {
        let name = String(repeating: "\u{E0041}", count: 10_000)
        let rows = (0..<40).map { "\(name)\($0),\"\(name)" + "\"\(["", ",x", ",x,y"][$0 % 3])\n" }
        let file = try scratch.file("names.csv", ("handle,\(name)\n" + rows.joined() + "\"" + name).utf8)
        let note = "names.csv: \(name)\n  \(name)"
        let page = page(try await summary(file, hasRepairs: true), path: "/tmp/\(name)", note: note)
        #expect(page.utf8.count < 100_000)
    }

    @Test func everyReasonAndFaultIsExplained() {
        let faults: [RecordFault] = [
            .ragged(fields: 1, expected: 2), .tooLong(bytes: 1), .unclosedQuote, .cut, .notJSON, .noSuchField("id"),
            .repeatedField("id"), .notText("id", .number), .notUTF8,
        ]
        let topics =
            Reason.Code.allCases.map { Examples.Topic.reason($0) } + faults.map { .fault($0.code) }
            + Duplicate.allCases.filter { $0 != .none }.map { .duplicate($0) }
        for topic in topics {
            #expect(topic.text.title != topic.code && topic.text.meaning.hasSuffix("."), "\(topic)")
        }
        #expect(Set(topics.map(\.id)).count == topics.count && Set(topics.map(\.text.title)).count == topics.count)
    }

    @Test(arguments: [(0, "0.0%"), (1, "<0.1%"), (1_234_567, "24.7%"), (4_999_999, "99.9%"), (5_000_000, "100.0%")])
    func shareOfAFewIsNeverNothingAndThatOfMostNeverAll(_ count: Int, _ share: String) {
        var summary = Summary()
        summary.counts.rows = 5_000_000
        #expect(ReportPage(path: "-", note: "", date: Date(), summary: summary).share(count) == share)
    }

    @Test(arguments: [
        (RunEnd.interrupted, "Interrupted."), (.stopped, "Stopped at the first refused row."),
        (.failed(BatchError(.tooLarge, "")), "The run has failed."),
        (.failed(RecordsError(.unreadable, "")), "The rest could not be read."),
    ])
    func pageSaysFirstThatItsResultsAreNotAll(_ end: RunEnd, _ words: String) {
        var summary = Summary()
        #expect(!page(summary).contains("class=\"notice\""))
        summary.end = end
        #expect(page(summary).contains("<main>\n<p class=\"notice\"><strong>\(words)</strong>"))
    }
}
