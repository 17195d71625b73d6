import Foundation
import TestService
import TestSupport
import Testing

/// The page of `handles validate --html`.
@Suite struct ValidatePageTests {
    private let folder = TestFolder("validate-page")

    private func validate(_ arguments: String..., input: String = "") async throws -> Program.Result {
        try await Program.run(["validate"] + arguments, in: folder.path, input: input)
    }

    @Test func pageHasTheTotalsTheReasonsAndTheRepairs() async throws {
        try folder.file("names.csv", "id;User Name\n1;JohnDoe\n2;x\n\n3;12345\n4;johndoe\n5;jane.roe\n")
        let plain = try await validate("names.csv", "--repair")
        let result = try await validate("names.csv", "--repair", "--html", "report.html")
        #expect(result.status == 1 && result.output == plain.output, "\(result.words)")
        let page = try folder.contents("report.html")
        #expect(page.hasPrefix("<!doctype html>\n<html lang=\"en\">") && page.hasSuffix("</html>\n"))
        for part in [
            "<h1><bdi>names.csv</bdi></h1>", "<dd><bdi>CSV with ; between the fields, header in line 1</bdi></dd>",
            "<dt>Rows</dt><dd>5 ", "<dt>Valid</dt><dd>1 <small>20.0%</small>",
            "<dt>Refused</dt><dd>4 <small>80.0%</small>",
            "<a href=\"#all_digits\">Digits only</a>",
            "<td>3</td><td><div><span><bdi>x</bdi> <small><bdi>1 character</bdi></small></span> <span><bdi>",
            "<bdi>johndoe</bdi> <small><bdi>first in line 2</bdi></small>", "<span><bdi>jane_roe</bdi></span>",
            "<strong>4 of 4</strong> refused names have a proposal", "<li>1 blank line skipped.</li>",
        ] {
            #expect(page.contains(part), "\(part)")
        }
        #expect(!page.contains("http:") && !page.contains("https:") && !page.contains("url("))
    }

    @Test func olderPageIsReplaced() async throws {
        try folder.file("report.html", String(repeating: "what was there\n", count: 10_000))
        #expect(try await validate("--html", "report.html", "--quiet", input: "anna\n").status == 0)
        let page = try folder.contents("report.html")
        #expect(page.contains("Standard input") && page.hasSuffix("</html>\n") && !page.contains("what was there"))
    }

    @Test func pageOfAFileThatIsCutSaysSo() async throws {
        let names = try folder.file("names.txt", (0..<50_000).map { "x\($0 &* 7919 % 65_537)" }.joined(separator: "\n"))
        try await folder.shell("gzip -c '\(names)' | head -c 60000 > '\(folder.path)/cut.gz'")
        #expect(try await validate("cut.gz", "--html", "report.html", "--format", "lines").status == 65)
        #expect(try folder.contents("report.html").contains("<strong>The rest could not be read.</strong>"))
    }

    @Test func pageNeverOverwritesTheInputOrTheOtherReport() async throws {
        let names = try folder.file("names.txt", "alice\nx\n")
        let result = try await validate("names.txt", "--html", names)
        #expect(result.status == 64)
        #expect(
            result.words
                == "handles: the report \(names) would overwrite the file that is read; give another --html\n")
        #expect(try folder.contents("names.txt") == "alice\nx\n")
        #expect(try await validate("names.txt", "--html", "out", "--output", "out").status == 64)
    }

    @Test(arguments: ["/nonexistent/report.html", "/proc/report.html"])
    func unwritablePageFailsBeforeTheRun(_ path: String) async throws {
        let result = try await validate("--html", path, input: "x\n")
        #expect(result.status == 73 && result.output.isEmpty)
        #expect(result.words.hasPrefix("handles: can't write \(path): "))
    }
}
