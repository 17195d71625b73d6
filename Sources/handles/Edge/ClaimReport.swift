import NameFiles
import HandleCore
import HandleRegistry

/// Writes and counts the results for a file of names and owners.
struct ClaimReport {
    let isJSON: Bool
    private var output = Output()
    private var counts: [ClaimedRow.Result: Int] = [:]

    /// - Throws: ``CommandFault`` when the output can't be written.
    init(isJSON: Bool) throws {
        self.isJSON = isJSON
        if !isJSON { try output.line("line,record,input,owner,handle,display,result,details") }
    }

    mutating func add(_ row: ClaimedRow) throws {
        counts[row.result, default: 0] += 1
        if isJSON {
            try output.json { $0.write(row) }
        } else {
            let fields = [
                "\(row.line)", "\(row.record)", CSVField.text(row.input), CSVField.text(row.owner),
                row.handle?.description ?? "", row.display?.description ?? "", row.result.rawValue,
                CSVField.sentence(row.details),
            ]
            try output.line(fields.joined(separator: ","))
        }
    }

    /// Writes the rest of the output and the totals.
    /// - Throws: ``CommandFault`` when rows were refused or the file was not read to its end.
    mutating func finish(_ end: Summary.End, isDryRun: Bool) throws {
        let refused = try writeSums(isDryRun: isDryRun)
        switch end {
        case .failed(let error): throw error
        case .interrupted:
            Output.note("Interrupted: run it again to continue; claimed names stay claimed.")
            throw CancellationError()
        case .complete, .stopped: if refused > 0 { throw CommandFault.refused }
        }
    }

    /// Writes the results so far, after the database connection was lost.
    mutating func stop(isDryRun: Bool) throws {
        _ = try writeSums(isDryRun: isDryRun)
        if !isDryRun { Output.note("Run it again to continue; claimed names stay claimed.") }
    }

    /// - Returns: number of refused rows.
    private mutating func writeSums(isDryRun: Bool) throws -> Int {
        try output.flush()
        let refused = counts.filter { ![.claimed, .already].contains($0.key) }.map(\.value).reduce(0, +)
        Output.note(
            "\(counts[.claimed, default: 0].grouped) \(isDryRun ? "would be claimed" : "claimed"), "
                + "\(counts[.already, default: 0].grouped) claimed already, \(refused.grouped) refused")
        return refused
    }
}

extension ClaimedRow {
    /// The reason for a refusal, in words.
    fileprivate var details: String {
        if let fault { return fault }
        if let firstLine { return "The same name as in line \(firstLine)." }
        return reasons.map(\.sentenceForAdmins).joined(separator: " ")
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ row: ClaimedRow) {
        object { json in
            json.member("line", row.line)
            json.member("record", row.record)
            json.member("input", row.input)
            json.member("owner", row.owner)
            json.member("handle", row.handle?.letters)
            json.member("display", row.display?.letters)
            json.member("result", row.result.rawValue)
            json.key("reasons")
            json.write(row.reasons, for: .keyHolders)
            if let firstLine = row.firstLine { json.member("first_line", firstLine) }
            if let fault = row.fault { json.member("fault", fault) }
        }
    }
}
