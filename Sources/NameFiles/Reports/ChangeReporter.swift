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
        case claim(repairs: Bool)
        case reserve, release, rename, assign
        /// Takes back a change.
        case undo

        /// The columns after the common ones.
        fileprivate var columns: [Column] {
            switch self {
            case .claim(repairs: false), .assign: [.owner, .details]
            case .claim(repairs: true): [.owner, .details, .claimedAs]
            case .rename: [.owner, .details, .new]
            case .reserve, .release: [.details]
            case .undo: []
            }
        }
    }

    fileprivate enum Column: String {
        case owner, details, new
        case claimedAs = "claimed_as"
    }

    private let format: Format
    private let change: Change
    let columns: ReportColumns

    init(_ format: Format, _ change: Change, _ layout: Layout) {
        (self.format, self.change) = (format, change)
        columns = ReportColumns(change.columns.map(\.rawValue), layout)
    }

    /// The first line of the report.
    var header: [UInt8] {
        guard case .csv = format else { return [] }
        if case .undo = change { return Array("handle,result\n".utf8) }
        return columns.header
    }

    /// The report on rows, without those that are not decided.
    func report(_ rows: [RowResult]) -> ChunkReport {
        var report = ChunkReport()
        for row in rows { add(row, to: &report) }
        return report
    }

    /// Adds a row, unless it is not decided.
    func add(_ row: RowResult, to report: inout ChunkReport) {
        report.counts.note(row)
        guard let verdict = row.verdict, !row.isBlank else { return }
        let result = word(for: row, verdict)
        switch (format, change) {
        // Nothing was left to undo.
        case (_, .undo) where verdict == .already: return
        case (.csv, .undo):
            if let display = row.display { report.rows.add(display.handle.letters) }
            report.rows.append(comma)
            report.rows.add(text: result)
        case (.csv, _): write(row, result, csv: &report.rows)
        case (.json, _): write(row, result, json: &report.rows)
        case (.text(let line), .undo):
            let state = (row.state ?? .free).rawValue
            let text = verdict == .done ? row.isRestored ? "\(state) again" : state : "stays: it is \(state) since"
            report.rows += line([row.display?.handle.description ?? "", text]).utf8
        case (.text(let line), _):
            report.rows += line([String(decoding: row.input, as: UTF8.self), result.description, row.details]).utf8
        }
        report.rows.append(UInt8(ascii: "\n"))
    }

    private func word(for row: RowResult, _ verdict: RowVerdict) -> StaticString {
        switch (verdict, change) {
        case (.done, .claim): "claimed"
        case (.done, .reserve): "reserved"
        case (.done, .rename): "renamed"
        case (.done, .assign): "assigned"
        case (.done, .undo) where row.isRestored: "restored"
        case (.done, .release), (.done, .undo): "released"
        default: verdict.code
        }
    }

    private func write(_ row: RowResult, _ result: StaticString, csv bytes: inout [UInt8]) {
        bytes.add(row.line)
        bytes.append(comma)
        bytes.add(row.record)
        bytes.append(comma)
        CSVText.append(row.input, to: &bytes, isRaw: false)
        bytes.append(comma)
        if let display = row.display { bytes.add(display.handle.letters) }
        bytes.append(comma)
        if let display = row.display { bytes.add(display.letters) }
        bytes.append(comma)
        bytes.add(text: result)
        bytes.append(comma)
        if let fault = row.fault { bytes += fault.numberedCode.utf8 }
        CSVReason.write(to: &bytes) { row.reasons.forEach($0) }
        bytes.append(comma)
        bytes.add(text: row.duplicate.code)
        bytes.append(comma)
        if row.duplicate != .none { bytes.add(row.firstLine) }
        for column in change.columns {
            bytes.append(comma)
            switch column {
            case .owner: CSVText.append(row.owner ?? [], to: &bytes, isRaw: false)
            case .details: bytes += CSVText.sentence(row.details).utf8
            case .new: CSVText.append(row.new ?? [], to: &bytes, isRaw: false)
            case .claimedAs: if let name = row.claimedAs { bytes.add(name.letters) }
            }
        }
        columns.append(row.carried, to: &bytes, isRaw: false)
    }

    private func write(_ row: RowResult, _ result: StaticString, json bytes: inout [UInt8]) {
        var json = JSONWriter()
        json.object { json in
            switch change {
            case .undo:
                json.member("handle", row.display?.handle.letters)
                json.member("result", result.description)
                json.member("state", (row.state ?? .free).rawValue)
                return
            case .claim(let repairs):
                row.writeCommon(result, to: &json)
                json.member("owner", row.owner.map { String(decoding: $0, as: UTF8.self) })
                if repairs { json.member("claimed_as", row.claimedAs?.letters) }
            case .release, .rename, .assign:
                row.writeCommon(result, to: &json)
                if let owner = row.owner { json.member("owner", String(decoding: owner, as: UTF8.self)) }
                if let new = row.new { json.member("new", String(decoding: new, as: UTF8.self)) }
                if let state = row.state { json.member("state", state.rawValue) }
            case .reserve:
                row.writeCommon(result, to: &json)
                if let original = row.original { json.member("original", original.letters) }
                json.member("lookalikes", row.lookalikes)
                if let present = row.present {
                    json.key("present")
                    json.object { json in
                        json.member("owner", present.owner?.id)
                        json.member("until", present.until?.rfc3339)
                    }
                }
            }
            columns.write(row.carried, to: &json)
        }
        bytes += json.bytes
    }
}

private let comma = UInt8(ascii: ",")

extension RowResult {
    /// The reason for a refusal or other information about the row, in words.
    fileprivate var details: String {
        if let fault { return fault.message }
        if let present {
            let owner = present.owner.map { "for \($0)" } ?? "for no owner"
            let end = present.until.map { "until \($0.end)" } ?? "without an end"
            return "It is reserved \(owner), \(end), and stays so. To change it, release it first."
        }
        if let state { return "It is \(state.rawValue), not as the row says." }
        if verdict == .duplicate {
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
