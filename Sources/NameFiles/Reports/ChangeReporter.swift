import HandleRegistry
import HandleRules

/// Writes the rows of a report about changes: as CSV, as JSON, or as text for people.
package struct ChangeReporter: Sendable {
    package enum Format: Sendable {
        case csv, json
        /// Lines for people, each made of the fields of a row.
        case text(line: @Sendable ([String]) -> String)
    }

    private let format: Format
    private let layout: ReportLayout

    init(_ format: Format, _ layout: ReportLayout) { (self.format, self.layout) = (format, layout) }

    /// The first line of the report.
    var header: [UInt8] {
        guard case .csv = format else { return [] }
        return Array(layout.csv.map(\.rawValue).joined(separator: ",").utf8) + [UInt8(ascii: "\n")]
    }

    /// The report on rows, without those that are not decided.
    func report(_ rows: [RowResult]) -> ChunkReport {
        var report = ChunkReport()
        for row in rows { add(row, to: &report) }
        return report
    }

    /// Adds a row, unless it is not decided.
    func add(_ row: RowResult, to report: inout ChunkReport) {
        guard let verdict = row.verdict else { return }
        report.counts.note(verdict, row.duplicate)
        if let fault = row.recordFault { report.counts.note(fault) }
        guard let result = layout.code(of: verdict) else { return }
        switch format {
        case .csv: write(row, result, csv: &report.rows)
        case .json: write(row, result, json: &report.rows)
        case .text(let line): report.rows += line(fields(row, result)).utf8
        }
        report.rows.append(UInt8(ascii: "\n"))
    }

    private func write(_ row: RowResult, _ result: StaticString, csv bytes: inout [UInt8]) {
        for (index, column) in layout.csv.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            switch column {
            case .line: bytes.add(row.line)
            case .record: bytes.add(row.record)
            case .input: CSVText.append(row.input, to: &bytes, isRaw: false)
            case .owner: CSVText.append(row.owner ?? [], to: &bytes, isRaw: false)
            case .handle: if let display = row.display { bytes.add(display.handle.letters) }
            case .display: if let display = row.display { bytes.add(display.letters) }
            case .result: bytes.add(text: result)
            case .details: bytes += CSVField.sentence(row.details).utf8
            case .reasons, .original, .lookalikes, .firstLine, .fault, .state: break
            }
        }
    }

    private func write(_ row: RowResult, _ result: StaticString, json bytes: inout [UInt8]) {
        var json = JSONWriter()
        json.object { json in
            for column in layout.json { write(column, of: row, result, to: &json) }
        }
        bytes += json.bytes
    }

    private func write(
        _ column: ReportLayout.Column, of row: RowResult, _ result: StaticString, to json: inout JSONWriter
    ) {
        switch column {
        case .line: json.member("line", row.line)
        case .record: json.member("record", row.record)
        // Invalid UTF-8 becomes U+FFFD.
        case .input: json.member("input", String(decoding: row.input, as: UTF8.self))
        case .owner: json.member("owner", row.owner.map { String(decoding: $0, as: UTF8.self) })
        case .handle: json.member("handle", row.display?.handle.letters)
        case .display: json.member("display", row.display?.letters)
        case .result: json.member("result", result.description)
        case .reasons:
            json.key("reasons")
            json.write(row.reasons, for: .keyHolders)
        case .original: if let original = row.original { json.member("original", original.letters) }
        case .lookalikes: json.member("lookalikes", row.lookalikes)
        case .firstLine: if let line = row.firstLine { json.member("first_line", line) }
        case .fault: if let fault = row.fault { json.member("fault", fault) }
        case .state: json.member("state", (row.state ?? .free).rawValue)
        case .details: break
        }
    }

    private func fields(_ row: RowResult, _ result: StaticString) -> [String] {
        layout.text.map { column in
            switch column {
            case .input: String(decoding: row.input, as: UTF8.self)
            case .handle: row.display?.handle.description ?? ""
            case .result: result.description
            case .details: row.details
            case .state: row.state.map { "stays: it is \($0.rawValue) since" } ?? "free"
            case .line, .record, .owner, .display, .reasons, .original, .lookalikes, .firstLine, .fault: ""
            }
        }
    }
}

extension RowResult {
    /// The reason for a refusal or other information about the row, in words.
    fileprivate var details: String {
        if let fault { return fault }
        if let firstLine {
            return duplicate == .lookalike
                ? "This looks like the name in line \(firstLine)." : "The same name as in line \(firstLine)."
        }
        var sentences = reasons.map(\.sentenceForAdmins)
        if let original {
            sentences.append("Looks like \(original), kept for the same \(isForOwner ? "owner" : "operator").")
        }
        if !lookalikes.isEmpty { sentences.append(lookalikes.sentenceOfLookalikes) }
        return sentences.joined(separator: " ")
    }
}

extension [Handle] {
    /// The look-alikes in use of a handle that was reserved or assigned.
    package var sentenceOfLookalikes: String {
        "Look-alikes in use: " + map(\.description).joined(separator: ", ")
    }
}
