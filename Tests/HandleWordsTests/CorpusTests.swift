import Foundation
import ReadingLaws
import TestSupport
import Testing

@Suite struct CorpusTests {
    /// Inputs that the fuzzer kept, because each reaches code that the others do not.
    @Test func corpusBreaksNoReadingLaw() throws {
        let folder = Repository.root.appending(path: "Tests/HandleWordsTests/Corpus")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count > 50)
        for file in files {
            let law = ReadingLaws.broken(by: try Data(contentsOf: file))
            #expect(law == nil, "\(file.lastPathComponent)")
        }
    }

    @Test func randomNamesBreakNoReadingLaw() {
        var names = TypedNames(seed: 3)
        for _ in 0..<20_000 {
            let typed = names.next()
            let law = ReadingLaws.broken(by: typed)
            #expect(law == nil, "\(typed.unicodeScalars.map(\.value))")
        }
    }
}
