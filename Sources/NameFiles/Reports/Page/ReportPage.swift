import HandleRegistry
import HandleRules

package import struct FoundationEssentials.Date

/// A report on a file for people: one page that needs nothing else, no script, image or font. Its size does not grow
/// with the file.
package struct ReportPage {
    let summary: Summary
    /// The file's name, without its folder.
    private let file: String
    /// The lines that say how the file was understood.
    private let note: [String]
    private let date: Date

    /// - Parameters:
    ///   - path: of the file; `-` is the standard input.
    ///   - note: ``Layout/note`` of the file.
    ///   - date: the time of the run.
    package init(path: String, note: String, date: Date, summary: Summary) {
        (self.summary, self.date) = (summary, date)
        file = path == "-" ? "Standard input" : String(path.split(separator: "/").last ?? "")
        let name = path == "-" ? "the standard input: " : "\(path): "
        let lines = (note.hasPrefix(name) ? note.dropFirst(name.count) : note[...]).split(separator: "\n")
        self.note = lines.isEmpty ? ["one name a line"] : lines.map(\.description.trimmingUnseen)
    }

    /// The page in UTF-8.
    package var html: [UInt8] { Array(document.text.utf8) }

    private var document: HTML {
        let moment = date.rfc3339
        let minute = "\(moment.prefix(10)) \(moment.dropFirst(11).prefix(5))"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Self.shown(file)): validation of names</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <header>
            <p>Validation of names</p>
            <h1><bdi>\(Self.shown(file))</bdi></h1>
            <dl>
            <dt>Date</dt><dd><time datetime="\(moment)">\(minute) UTC</time></dd>
            <dt>Format</dt>\(note.map { "<dd><bdi>\(Self.shown($0))</bdi></dd>" })
            </dl>
            </header>
            <main>
            \(ending)\(result)\(reasons)\(duplicates)\(repairs)\(remarks)</main>
            <footer>
            <p>Lines count from 1, with the header. Of rows with the same name, the examples have one. Invisible \
            characters are written as escapes, such as <code>\\u{202e}</code>. Names are cut after \(HTML.longest) \
            characters.</p>
            </footer>
            </body>
            </html>

            """
    }

    private static func shown(_ text: String) -> String { HTML.shown(text.utf8, atMost: 400) }

    /// Says that the results are not those of the whole file.
    private var ending: HTML {
        let text: (title: String, rest: String)? =
            switch summary.end {
            case .complete where summary.counts.endsInsideRecord:
                ("The file ends in the middle of a record.", "Is it cut?")
            case .complete: nil
            case .stopped: ("Stopped at the first refused row.", "The rows after it were not read.")
            case .interrupted: ("Interrupted.", "These are the results so far.")
            case .failed(is RecordsError): ("The rest could not be read.", "These are the results so far.")
            case .failed: ("The run has failed.", "These are the results so far.")
            }
        return text.map { #"<p class="notice"><strong>\#($0.title)</strong> \#($0.rest)</p>"# } ?? ""
    }

    // MARK: Parts

    /// A section with a title.
    func section(_ id: String, _ title: String, _ content: HTML) -> HTML {
        """

        <section aria-labelledby="\(id)">
        <h2 id="\(id)">\(title)</h2>
        \(content)
        </section>
        """
    }

    /// A table.
    /// - Parameter id: that of its title.
    func table(_ id: String, _ headings: [String], _ rows: [HTML], kind: String = "sums") -> HTML {
        """
        <table class="\(kind)" aria-labelledby="\(id)">
        <thead><tr>\(headings.map { #"<th scope="col">\#($0)</th>"# })</tr></thead>
        <tbody>\(rows.map { "\n<tr>\($0)</tr>" })
        </tbody>
        </table>
        """
    }

    /// The share of all rows. That of a few is never 0.0%, and that of nearly all never 100.0%.
    func share(_ count: Int) -> String {
        let rows = max(summary.counts.rows, 1)
        let tenths = min((count * 1000 + rows / 2) / rows, count < rows ? 999 : 1000)
        return count > 0 && tenths == 0 ? "<0.1%" : "\(tenths / 10).\(tenths % 10)%"
    }

    private var result: HTML {
        let counts = summary.counts
        let verdicts = RowVerdict.allCases.filter { $0 == .valid || counts[$0] > 0 }
        func figure(_ title: String, _ count: Int) -> HTML {
            "<div><dt>\(title)</dt><dd>\(count) <small>\(title == "Rows" ? "" : share(count))</small></dd></div>"
        }
        return section(
            "result", "Result",
            """
            <dl class="figures">
            \(figure("Rows", counts.rows))
            \(figure("Valid", counts[.valid]))
            \(figure("Refused", counts.refused))
            </dl>
            <div class="stack">\(verdicts.filter { counts[$0] > 0 }.map(piece))</div>
            \(table("result", ["Result", "Rows", "Share"], verdicts.map(row)))
            """)
    }

    /// The piece of a coloured line that stands for a result.
    private func piece(_ verdict: RowVerdict) -> HTML {
        #"<i class="\#(verdict.name)" style="flex-grow: \#(String(summary.counts[verdict]))"></i>"#
    }

    private func row(_ verdict: RowVerdict) -> HTML {
        let (title, meaning) = (verdict.name.prefix(1).uppercased() + verdict.name.dropFirst(), verdict.meaning)
        let count = summary.counts[verdict]
        return """
            <th scope="row">\(verdict.dot)\(title) <small>\(meaning)</small></th>\
            <td>\(count)</td><td>\(share(count))</td>
            """
    }

    private var remarks: HTML {
        let cut = "The last line has no line end: if the file was cut, its last name is too."
        let remarks = summary.remarks + (summary.endsInsideLine ? [cut] : [])
        return remarks.isEmpty
            ? "" : section("remarks", "Remarks", "<ul>\(remarks.map { "<li>\($0)</li>" })</ul>")
    }
}

extension RowVerdict {
    /// The class of the result in the style sheet.
    var name: String { code.description }

    var dot: HTML { #"<i class="dot \#(name)"></i>"# }

    fileprivate var meaning: String {
        switch self {
        case .valid: "can be taken as it is"
        case .invalid: "breaks a rule of form"
        case .unavailable: "well formed, but reserved or in use"
        case .duplicate: "the same name as an earlier row"
        case .unreadable: "no name could be read"
        case .done, .already, .differs: ""
        }
    }
}
