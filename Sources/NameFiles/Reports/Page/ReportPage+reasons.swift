import HandleRules

/// The reasons of refused rows, the duplicates, and the repairs.
extension ReportPage {
    /// A row of the chart.
    private struct Bar {
        let id: String
        let title: String
        let rows: Int
        /// The result of the rows, which has a colour.
        let verdict: RowVerdict
        var topic: Examples.Topic?
    }

    private func bar(_ topic: Examples.Topic, _ verdict: RowVerdict) -> Bar {
        Bar(id: topic.id, title: topic.text.title, rows: summary.examples[topic], verdict: verdict, topic: topic)
    }

    var reasons: HTML {
        let duplicates = Bar(
            id: "duplicates", title: "Duplicate of an earlier row", rows: summary.counts[.duplicate],
            verdict: .duplicate)
        let all =
            Reason.Code.allCases.map { bar(.reason($0), $0.isAboutForm ? .invalid : .unavailable) }
            + summary.examples.faults.map { bar(.fault($0), .unreadable) } + [duplicates]
        let bars = all.filter { $0.rows > 0 }.sorted { ($1.rows, $0.id) < ($0.rows, $1.id) }
        guard let most = bars.first?.rows else { return "" }
        let rows: [HTML] = bars.map { bar in
            """
            <th scope="row"><a href="#\(bar.id)">\(bar.title)</a>\(line(bar.rows, of: most, bar.verdict))</th>\
            <td>\(bar.rows)</td><td>\(share(bar.rows))</td>
            """
        }
        let topics = bars.compactMap { bar in bar.topic.map { part($0, bar.verdict) } }
        return section(
            "reasons", "Why rows are refused",
            """
            <p>A row can have several reasons. Shares are of all rows.</p>
            \(table("reasons", ["Reason", "Rows", "Share"], rows))\(topics)
            """)
    }

    /// A coloured line for a number of rows, compared with the longest one.
    private func line(_ rows: Int, of most: Int, _ verdict: RowVerdict) -> HTML {
        let percent = "\(Double(rows * 1000 / most) / 10)"
        return #"<span class="bar"><i class="\#(verdict.name)" style="inline-size: \#(percent)%"></i></span>"#
    }

    /// The meaning of a topic, and its examples.
    private func part(_ topic: Examples.Topic, _ verdict: RowVerdict) -> HTML {
        let (title, meaning) = topic.text
        let rows = summary.examples[topic]
        return """

            <section class="topic" aria-labelledby="\(topic.id)">
            <div>
            <h3 id="\(topic.id)">\(verdict.dot)\(title)</h3>
            <p>\(meaning)</p>
            <p><small>\(rows) \(rows == 1 ? "row" : "rows") · <code>\(topic.code)</code></small></p>
            </div>
            \(examples(topic.id, summary.examples.rows(of: topic)))
            </section>
            """
    }

    /// Examples, with their repairs.
    private func examples(_ id: String, _ rows: [Examples.Row]) -> HTML {
        let cells: [HTML] = rows.map { row in
            let name = HTML.shown(row.input)
            let before: HTML = !name.isEmpty ? "<bdi>\(name)</bdi>" : row.detail.isEmpty ? "–" : ""
            let detail: HTML = row.detail.isEmpty ? "" : "<small><bdi>\(HTML.shown(row.detail.utf8))</bdi></small>"
            let repair = showsRepairs ? summary.examples.repair(of: row) : nil
            let after: HTML = repair.map { " <span><bdi>\($0.description)</bdi></span>" } ?? ""
            return "<td>\(String(row.line))</td><td><div><span>\(before) \(detail)</span>\(after)</div></td>"
        }
        return table(id, ["Line", showsRepairs ? "Name and repair" : "Name"], cells, kind: "examples")
    }

    var duplicates: HTML {
        let kinds = Duplicate.allCases.map { Examples.Topic.duplicate($0) }.filter { summary.examples[$0] > 0 }
        guard !kinds.isEmpty else { return "" }
        let most = summary.groups.first?.rows ?? 1
        let rows: [HTML] = summary.groups.map { group in
            """
            <th scope="row"><bdi>\(group.name.description)</bdi>\(line(group.rows, of: most, .duplicate))</th>\
            <td>\(String(group.line))</td><td>\(group.rows)</td>
            """
        }
        let groups: HTML = """
            <h3 id="groups">The largest groups</h3>
            \(table("groups", ["Name", "First line", "Rows"], rows))
            """
        return section(
            "duplicates", "Rows like an earlier one",
            "\(rows.isEmpty ? [] : [groups])\(kinds.map { part($0, .duplicate) })")
    }

    /// An interrupted run chooses no repairs, or not all.
    private var showsRepairs: Bool { summary.examples.repairable > 0 && summary.end.hasPerformedAll }

    var repairs: HTML {
        guard showsRepairs else { return "" }
        return section(
            "repairs", "What a repair would do",
            """
            <p><strong>\(summary.examples.repaired) of \(summary.examples.repairable)</strong> refused names have a \
            proposal. It is valid, unlike all names of the file and all other proposals.</p>
            \(examples("repairs", summary.examples.repairedRows))
            """)
    }
}
