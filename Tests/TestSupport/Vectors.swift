import Foundation

/// Tables of test cases: one case a line, fields separated by tabs, comments begin with `#`.
package enum Vectors {
    /// The cases of `Vectors/NAME.txt` beside the calling test file.
    package static func read(_ name: String, beside file: String = #filePath) -> [[String]] {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        let url = folder.appendingPathComponent("Vectors/\(name).txt")
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
        // Only LF ends a line: some cases contain other white space on purpose.
        return text.unicodeScalars.split(separator: "\n").map { line in
            String(String.UnicodeScalarView(line)).unicodeScalars.split(separator: "\t").map { String($0) }
        }.filter { $0.first?.hasPrefix("#") == false }
    }
}
