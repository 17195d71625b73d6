import HandleCore
import HandleRegistry

/// Says what became of each reservation that was to be taken back, and counts.
struct UndoReport {
    private let isJSON: Bool
    private var output = Output()
    private var undone = 0
    private var changed = 0

    init(isJSON: Bool) { self.isJSON = isJSON }

    mutating func add(_ handle: Handle, _ outcome: UndoOutcome) throws {
        switch outcome {
        case .undone:
            undone += 1
            try write(handle, "released", "free", nil)
        // Never made, or taken back before: there is nothing to say of it.
        case .nothing: break
        case .changed(let record):
            changed += 1
            try write(handle, "changed", "stays: it is \(record.state.rawValue) since", record.state)
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

    /// Writes what is left and says the sums.
    /// - Parameter unreadable: lines of the file.
    /// - Throws: ``CommandFault`` when something has changed since.
    mutating func finish(unreadable: [Int], of file: String) throws {
        try output.flush()
        for line in unreadable { Output.note("line \(line) of \(file.printable) can't be read and was skipped") }
        noteSums()
        if changed > 0 { throw CommandFault.refused }
    }

    /// Says what was done before it was interrupted, or the database lost.
    mutating func stop() throws {
        try output.flush()
        noteSums()
        Output.note("Run it again to continue; released names stay released.")
    }

    private func noteSums() {
        Output.note("\(undone.grouped) released, \(changed.grouped) changed since and left as they are")
    }
}
