import HandleCore
import HandleRegistry

/// Writes and counts the results of undoing reservations.
struct UndoReport {
    private let isJSON: Bool
    private var output = Output()
    private var undone = 0
    private var changed = 0

    init(isJSON: Bool) { self.isJSON = isJSON }

    mutating func add(_ handle: Handle, _ outcome: ChangeOutcome) throws {
        switch outcome {
        case .done:
            undone += 1
            try write(handle, "released", "free", nil)
        case .refused(.changed(let record)):
            changed += 1
            try write(handle, "changed", "stays: it is \(record.state.rawValue) since", record.state)
        // Never made, or undone before: nothing to report.
        case .already, .refused: break
        }
    }

    private mutating func write(_ handle: Handle, _ result: String, _ sentence: String, _ state: State?) throws {
        guard isJSON else { return try output.line("\(handle.description.padded(to: 16)) \(sentence)") }
        try output.json { json in
            json.object { json in
                json.member("handle", handle.letters)
                json.member("result", result)
                json.member("state", (state ?? .free).rawValue)
            }
        }
    }

    /// Writes the rest of the output and the totals.
    /// - Parameter unreadable: numbers of the file's unreadable lines.
    /// - Throws: ``CommandFault`` when a name has changed since.
    mutating func finish(unreadable: [Int], of file: String) throws {
        try output.flush()
        for line in unreadable { Output.note("line \(line) of \(file.printable) can't be read and was skipped") }
        noteSums()
        if changed > 0 { throw CommandFault.refused }
    }

    /// Writes the results so far, after an interruption or a lost database connection.
    mutating func stop() throws {
        try output.flush()
        noteSums()
        Output.note("Run it again to continue; released names stay released.")
    }

    private func noteSums() {
        Output.note("\(undone.grouped) released, \(changed.grouped) changed since and left as they are")
    }
}
