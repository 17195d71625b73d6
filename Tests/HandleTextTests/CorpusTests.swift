import Foundation
import ReadingLaws
import Testing

@Suite struct CorpusTests {
    /// Input that the fuzzer kept because it reaches code that other input does not.
    @Test func keepsEveryLaw() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Corpus")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count > 50)
        for file in files {
            let law = ReadingLaws.broken(by: try Data(contentsOf: file))
            #expect(law == nil, "\(file.lastPathComponent)")
        }
    }
}
