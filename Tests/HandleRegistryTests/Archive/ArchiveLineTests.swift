import Testing

@testable import HandleRegistry

/// Archive lines are parsed as strictly as request bodies: all JSON parsers must read the same values.
@Suite struct ArchiveLineTests {
    private static let head = #"{"kind":"registry","format":1,"history":0}"#

    private func read(_ line: String) throws(ArchiveLine.Fault) -> ArchiveLine {
        try ArchiveLine(Array(line.utf8)[...])
    }

    @Test func registryLineIsParsed() throws {
        guard case .registry = try read(Self.head) else {
            Issue.record("another line")
            return
        }
    }

    @Test(arguments: [
        head.replacing("}", with: #","history":1}"#), head.replacing("}", with: #","\u0068istory":1}"#),
        head.replacing("}", with: ",}"), head.replacing(":0", with: ":0.0"), head.replacing(":1", with: ":1e0"),
        head + "{}", "\u{FEFF}" + head, head.replacing("registry", with: "regis\ttry"),
    ]) func archiveLineWithAmbiguousJSONIsRefused(_ line: String) {
        #expect(throws: ArchiveLine.Fault.self) { try read(line) }
    }
}
