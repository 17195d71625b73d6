/// The settings as documents show them.
extension Setting {
    /// The rows of the table in docs/operations.md.
    static var table: String {
        all.map { "| `\($0.name)` | \($0.usual.isEmpty ? "" : "`\($0.usual)`") | \($0.meaning) |\n" }.joined()
    }

    /// The content of Packaging/handles.conf.
    static var packagedFile: String {
        let settings = all.map { setting in
            "\n\(comment(setting.meaning.filter { $0 != "`" }))#\(setting.name)=\(packaged[setting.name] ?? setting.usual)\n"
        }
        return """
            # Settings of the handle registry, one NAME=value a line. The service reads them when it starts:
            #     systemctl restart handles
            # The lines with a # show the defaults. handles-admin reads this file too. More: handles help serve, and operations.md.

            """ + settings.joined()
    }

    /// Defaults of the Debian package.
    private static let packaged = ["HANDLES_DATA": "/var/lib/handles"]
    private static let columns = 120

    /// Lines that begin with `#`.
    private static func comment(_ text: String) -> String {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= columns {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append("# " + word)
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
