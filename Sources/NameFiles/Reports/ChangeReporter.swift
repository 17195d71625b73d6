import HandleRegistry
import HandleRules

/// Writes the rows of a report about changes: as CSV, as JSON, or as text for people.
package struct ChangeReporter: Sendable {
    package enum Format: Sendable {
        case csv, json
        /// Lines for people, each made of the fields of a row.
        case text(line: @Sendable ([String]) -> String)
    }

    enum Change: Sendable {
        case claim, reserve
        /// Takes back a reservation.
        case undo
    }

    private let format: Format
    private let change: Change

    init(_ format: Format, _ change: Change) { (self.format, self.change) = (format, change) }

    /// The first line of the report.
    var header: [UInt8] {
        guard case .csv = format else { return [] }
        return switch change {
        case .claim: Array("line,record,input,owner,handle,display,result,details\n".utf8)
        case .reserve: Array("line,record,input,handle,display,result,details\n".utf8)
        case .undo: Array("handle,result\n".utf8)
        }
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
        guard !row.isBlank else {
            report.counts.blank += 1
            return
        }
        report.counts.note(verdict, row.duplicate)
        if let fault = row.recordFault { report.counts.note(fault) }
        guard let result = code(of: verdict) else { return }
        switch format {
        case .csv: write(row, result, csv: &report.rows)
        case .json: write(row, result, json: &report.rows)
        case .text(let line): report.rows += line(fields(row, result)).utf8
        }
        report.rows.append(UInt8(ascii: "\n"))
    }

    /// The word for a result; nil for a row that is left out.
    private func code(of verdict: RowVerdict) -> StaticString? {
        switch (verdict, change) {
        case (.done, .claim): "claimed"
        case (.done, .reserve): "reserved"
        case (.done, .undo): "released"
        case (.already, .claim): "already"
        case (.already, .reserve): "already_reserved"
        case (.already, .undo): nil
        case (.changed, .reserve): "reserved_otherwise"
        case (.invalid, _), (.unavailable, _): "refused"
        default: verdict.code
        }
    }

    private func write(_ row: RowResult, _ result: StaticString, csv bytes: inout [UInt8]) {
        let comma = UInt8(ascii: ",")
        if change != .undo {
            bytes.add(row.line)
            bytes.append(comma)
            bytes.add(row.record)
            bytes.append(comma)
            CSVText.append(row.input, to: &bytes, isRaw: false)
            bytes.append(comma)
        }
        if change == .claim {
            CSVText.append(row.owner ?? [], to: &bytes, isRaw: false)
            bytes.append(comma)
        }
        if let display = row.display { bytes.add(display.handle.letters) }
        bytes.append(comma)
        if change != .undo {
            if let display = row.display { bytes.add(display.letters) }
            bytes.append(comma)
        }
        bytes.add(text: result)
        if change != .undo {
            bytes.append(comma)
            bytes += CSVText.sentence(row.details).utf8
        }
    }

    private func write(_ row: RowResult, _ result: StaticString, json bytes: inout [UInt8]) {
        var json = JSONWriter()
        json.object { json in
            if change == .undo {
                json.member("handle", row.display?.handle.letters)
                json.member("result", result.description)
                json.member("state", (row.state ?? .free).rawValue)
                return
            }
            json.member("line", row.line)
            json.member("record", row.record)
            // Invalid UTF-8 becomes U+FFFD.
            json.member("input", String(decoding: row.input, as: UTF8.self))
            if change == .claim { json.member("owner", row.owner.map { String(decoding: $0, as: UTF8.self) }) }
            json.member("handle", row.display?.handle.letters)
            json.member("display", row.display?.letters)
            json.member("result", result.description)
            json.key("reasons")
            json.write(row.reasons, for: .keyHolders)
            if change == .reserve {
                if let original = row.original { json.member("original", original.letters) }
                json.member("lookalikes", row.lookalikes)
            }
            if let line = row.firstLine { json.member("first_line", line) }
            if let fault = row.fault { json.member("fault", fault) }
        }
        bytes += json.bytes
    }

    private func fields(_ row: RowResult, _ result: StaticString) -> [String] {
        if change != .undo { return [String(decoding: row.input, as: UTF8.self), result.description, row.details] }
        let state = row.state.map { "stays: it is \($0.rawValue) since" } ?? "free"
        return [row.display?.handle.description ?? "", state]
    }
}

extension RowResult {
    /// The reason for a refusal or other information about the row, in words.
    fileprivate var details: String {
        if let fault { return fault }
        if let present {
            let owner = present.owner.map { "for \($0)" } ?? "for no owner"
            let end = present.until.map { "until \($0.end)" } ?? "without an end"
            return "It is reserved \(owner), \(end), and stays so. To change it, release it first."
        }
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
