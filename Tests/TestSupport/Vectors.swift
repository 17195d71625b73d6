/// Tables of test cases: one case a line, fields separated by tabs, comments begin with `#`.
package enum Vectors {
    /// The cases of `Tests/MODULE/Vectors/NAME.txt`, of the module that calls this.
    package static func read(_ name: String, for file: String = #fileID) -> [[String]] {
        let module = file.prefix { $0 != "/" }
        guard let text = try? Repository.text("Tests/\(module)/Vectors/\(name).txt") else { return [] }
        // Only LF ends a line: some cases contain other white space on purpose.
        return text.unicodeScalars.split(separator: "\n").map { line in
            String(String.UnicodeScalarView(line)).unicodeScalars.split(separator: "\t").map { String($0) }
        }.filter { $0.first?.hasPrefix("#") == false }
    }
}
