import Foundation
import ReadingLaws
import Testing

@Suite struct CorpusTests {
    /// Inputs that the fuzzer kept, because each reaches code that the others do not.
    @Test func corpusBreaksNoReadingLaw() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Corpus")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count > 50)
        for file in files {
            let law = ReadingLaws.broken(by: try Data(contentsOf: file))
            #expect(law == nil, "\(file.lastPathComponent)")
        }
    }
}
