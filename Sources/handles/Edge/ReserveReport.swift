import NameFiles
import HandleCore
import HandleRegistry

/// Writes and counts the results for names to reserve.
struct ReserveReport {
    private let isJSON: Bool
    private let isFile: Bool
    private var output = Output()
    private var counts: [ReservedRow.Result: Int] = [:]

    /// - Parameter isFile: whether to write CSV with the position of each row.
    /// - Throws: ``CommandFault`` when the output can't be written.
    init(isJSON: Bool, isFile: Bool) throws {
        (self.isJSON, self.isFile) = (isJSON, isFile)
        if isFile, !isJSON { try output.line("line,record,input,handle,display,result,details") }
    }

    mutating func add(_ row: ReservedRow) throws {
        counts[row.result, default: 0] += 1
        if isJSON {
            try output.json { $0.write(row) }
        } else if isFile {
            try output.line { bytes in
                bytes += "\(row.line),\(row.record),".utf8
                bytes += CSVField.text(row.input).utf8
                bytes.append(UInt8(ascii: ","))
                row.display?.handle.letters.append(to: &bytes)
                bytes.append(UInt8(ascii: ","))
                row.display?.letters.append(to: &bytes)
                bytes.append(UInt8(ascii: ","))
                bytes += row.result.rawValue.utf8
                bytes.append(UInt8(ascii: ","))
                bytes += CSVField.sentence(row.details).utf8
            }
        } else {
            let result = row.result.rawValue.padded(to: 16)
            try output.line("\(row.input.printable.padded(to: 16)) \(result) \(row.details)".trimmed)
        }
    }

    /// Writes the results so far after the database connection was lost. The caller reports that error afterwards.
    mutating func stop(undo: UndoFile?) throws {
        try output.flush()
        guard let reserved = counts[.reserved], let undo else { return }
        Output.note("\(reserved.grouped) reserved so far, possibly more. Run it again to continue, or undo it:")
        Output.note("handles release --undo \(undo.path.printable)")
    }

    /// Writes the rest of the output and the totals.
    /// - Throws: ``CommandFault`` when names were refused or the file was not read to its end.
    mutating func finish(_ end: Summary.End, isDryRun: Bool, undo: UndoFile?) throws {
        try output.flush()
        let refused = counts.filter { ![.reserved, .already].contains($0.key) }.map(\.value).reduce(0, +)
        Output.note(
            "\(counts[.reserved, default: 0].grouped) \(isDryRun ? "would be reserved" : "reserved"), "
                + "\(counts[.already, default: 0].grouped) already reserved, \(refused.grouped) refused")
        if let undo, undo.isUsed { Output.note("To undo it: handles release --undo \(undo.path.printable)") }
        switch end {
        case .failed(let error): throw error
        case .interrupted:
            Output.note("Interrupted: run it again to continue; reserved names stay reserved.")
            throw CancellationError()
        case .complete, .stopped: if refused > 0 { throw CommandFault.refused }
        }
    }
}

extension ReservedRow {
    /// The reason for a refusal or other information about the row, in words.
    fileprivate var details: String {
        if let fault { return fault }
        if let firstLine { return "The same name as in line \(firstLine)." }
        if !lookalikes.isEmpty {
            return "Look-alikes in use: " + lookalikes.map(\.description).joined(separator: ", ")
        }
        return reasons.map(\.sentenceForAdmins).joined(separator: " ")
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ row: ReservedRow) {
        object { json in
            json.member("line", row.line)
            json.member("record", row.record)
            json.member("input", row.input)
            json.member("handle", row.display?.handle.letters)
            json.member("display", row.display?.letters)
            json.member("result", row.result.rawValue)
            json.key("reasons")
            json.write(row.reasons, for: .keyHolders)
            json.key("lookalikes")
            json.array { json in for handle in row.lookalikes { json.string(handle.letters) } }
            if let firstLine = row.firstLine { json.member("first_line", firstLine) }
            if let fault = row.fault { json.member("fault", fault) }
        }
    }
}

extension Reason {
    /// The message; for a taken name with its state.
    var sentenceForAdmins: String {
        switch self {
        case .taken(let state): "This name is \(state.rawValue)."
        case .reservedWord(let word): "'\(word.word)' is a reserved word (\(word.category))."
        case .lookalike(let original): "This looks too much like \(original)."
        default: message
        }
    }
}
