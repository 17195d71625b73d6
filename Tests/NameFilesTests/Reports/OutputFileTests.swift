import FoundationEssentials
import Testing

@testable import NameFiles

@Suite struct OutputFileTests {
    private let scratch = Scratch()

    @Test func reportNeverOverwritesTheInput() throws {
        let names = try scratch.file("names.csv", "alice\n".utf8)
        let folder = scratch.path
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/link.csv", withDestinationPath: "names.csv")
        try FileManager.default.linkItem(atPath: names, toPath: "\(folder)/other.csv")
        for output in [names, "\(folder)/link.csv", "\(folder)/other.csv", "\(folder)/./names.csv"] {
            let error = #expect(throws: BatchError.self) { try OutputFile(path: output, input: names) }
            #expect(error?.code == .usage)
            #expect(
                error?.description
                    == "the report \(output) would overwrite the file that is read; give another --output")
        }
        let error = #expect(throws: BatchError.self) { try OutputFile(path: names, input: "\(folder)/link.csv") }
        #expect(error?.code == .usage)
        #expect(try scratch.contents("names.csv") == Array("alice\n".utf8))
    }

    @Test func firstWriteReplacesTheOldContentOfTheReport() throws {
        let names = try scratch.file("names.csv", "alice\n".utf8)
        let report = try scratch.file("report.csv", "an older one\n".utf8)
        let file = try OutputFile(path: report, input: names)
        #expect(try scratch.contents("report.csv") == Array("an older one\n".utf8))
        try file.write(Array("new\n".utf8))
        try file.write(Array("er\n".utf8))
        #expect(try scratch.contents("report.csv") == Array("new\ner\n".utf8))
    }

    @Test func writeWithoutARowEmptiesTheReport() throws {
        let report = try scratch.file("report.csv", "an older one\n".utf8)
        try OutputFile(path: report, input: "/nothing").write([])
        #expect(try scratch.contents("report.csv").isEmpty)
    }

    @Test func reportIsCreatedForAMissingInput() throws {
        try OutputFile(path: "\(scratch.path)/report.csv", input: "\(scratch.path)/nothing").write([0x61])
        #expect(try scratch.contents("report.csv") == [0x61])
    }

    @Test(arguments: ["/nonexistent/x.csv", "/", "/dev/null/x"]) func unwritableReportThrowsTheReason(_ path: String) {
        let error = #expect(throws: BatchError.self) { try OutputFile(path: path, input: "/nothing") }
        #expect(error?.code == .cannotWrite)
        #expect(error?.description.hasPrefix("can't write \(path): ") == true)
    }

    @Test func fullDiskThrowsCannotWrite() throws {
        let file = try OutputFile(path: "/dev/full", input: "/nothing")
        let error = #expect(throws: BatchError.self) { try file.write(Array("alice\n".utf8)) }
        #expect(error == BatchError(.cannotWrite, "can't write /dev/full: No space left on device"))
    }

    /// A device has no content that a report could overwrite.
    @Test func reportMayBeTheDeviceThatIsRead() throws {
        try OutputFile(path: "/dev/null", input: "/dev/null").write([0x61])
    }
}
