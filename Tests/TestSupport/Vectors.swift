import Foundation

/// Tables that tests read: a line a case, fields between tabs, `#` before comments.
package enum Vectors {
    /// The cases of `Vectors/NAME.txt` beside the test that asks.
    package static func read(_ name: String, beside file: String = #filePath) -> [[String]] {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        let url = folder.appendingPathComponent("Vectors/\(name).txt")
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
        // Only LF ends a line: some cases have other white space in them on purpose.
        return text.unicodeScalars.split(separator: "\n").map { line in
            String(String.UnicodeScalarView(line)).unicodeScalars.split(separator: "\t").map { String($0) }
        }.filter { $0.first?.hasPrefix("#") == false }
    }
}
