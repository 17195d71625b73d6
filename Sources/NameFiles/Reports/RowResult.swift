import HandleRegistry
import HandleRules

/// The result for one row of a file.
struct RowResult: Sendable {
    let line: Int
    let record: Int
    /// The bytes of the name, as in the file.
    let input: ArraySlice<UInt8>
    /// The bytes of the owner, as ``JudgedChunk/field(_:column:)`` reads them; nil for a file without owners.
    var owner: ArraySlice<UInt8>?
    /// The bytes of the new name of a rename, read alike.
    var new: ArraySlice<UInt8>?
    var display: DisplayHandle?
    /// Nil until the row is decided.
    var verdict: RowVerdict?
    /// The reasons why the name can't be had.
    private(set) var reasons: [Reason] = []
    /// The fault of an unreadable row.
    private(set) var fault: RecordFault?
    /// The relation to an earlier row, also for rows that are refused for another reason, and the line of that row.
    let duplicate: Duplicate
    let firstLine: Int
    /// Whether the record is blank. It is counted, and not reported.
    let isBlank: Bool
    /// The protected handle that a reserved handle looks like, kept for the same owner, or for the operator as well.
    private(set) var original: Handle?
    /// True if the handle is reserved for an owner, and not for the operator.
    private(set) var isForOwner = false
    /// Other look-alikes of a reserved handle that are in use. They stay with their owners.
    private(set) var lookalikes: [Handle] = []
    /// The reservation that stays in place of another one that the row asks for.
    private(set) var present: Reservation?
    /// The present state of a handle that differs from the row, or that an undo has put back.
    private(set) var state: Handle.State?
    /// The repair that was claimed in place of the name.
    private(set) var claimedAs: DisplayHandle?
    /// The fields of the carried columns.
    var carried: [ArraySlice<UInt8>] = []

    /// A row without a verdict.
    init(_ index: Int, of chunk: JudgedChunk) {
        line = chunk.line(index)
        record = chunk.record(index)
        input = chunk.input(index)
        isBlank = chunk.rows[index].kind == .blank
        (duplicate, firstLine) = (chunk.rows[index].duplicate, chunk.rows[index].firstLine)
        display = chunk.reading(index)?.display
    }

    /// A row with its verdict, if that follows from the file.
    /// - Parameter wordsCount: true if a malformed name is also refused as a reserved word.
    init(_ index: Int, of chunk: JudgedChunk, wordsCount: Bool) {
        self.init(index, of: chunk)
        if let reading = chunk.reading(index) {
            if display == nil {
                let word = wordsCount ? chunk.word(index) : nil
                refuse(.invalid, Decision.decide(reading, word: word).reasons)
            } else if duplicate.isSameHandle {
                verdict = .duplicate
            }
        } else {
            refuse(chunk.fault(index))
        }
    }

    mutating func refuse(_ fault: RecordFault) { (verdict, self.fault) = (.unreadable, fault) }

    mutating func refuse(_ verdict: RowVerdict, _ reasons: [Reason]) {
        (self.verdict, self.reasons) = (verdict, reasons)
    }

    /// - Parameter wanted: the reservation that the row asks for. An owner or end that it leaves open is no difference.
    mutating func take(_ reserved: Reserved, wanted: Reservation) {
        take(reserved.outcome)
        if case .already(let record) = reserved.outcome,
            wanted.owner != nil && record.owner != wanted.owner || wanted.until != nil && record.until != wanted.until
        {
            verdict = .differs
            present = Reservation(reason: record.reason ?? "", owner: record.owner, until: record.until)
        }
        (original, lookalikes) = (reserved.original, reserved.lookalikes)
        isForOwner = reserved.outcome.record?.owner != nil
    }

    mutating func take(_ outcome: ChangeOutcome) {
        switch outcome {
        case .done: verdict = .done
        case .already: verdict = .already
        case .refused(.changed(let record)): differ(record)
        case .refused(.notOwner(let record)): differ(record)
        case .refused(.notClaimed): differ(nil)
        case .refused(let refusal):
            refuse(refusal.reasons.contains { $0.code.isAboutForm } ? .invalid : .unavailable, refusal.reasons)
        }
    }

    private mutating func differ(_ record: Record?) {
        (verdict, state) = (.differs, record.map { $0.isFree ? .free : $0.state } ?? .free)
    }

    /// Takes the outcome of an undo. What was never made, or undone before, has nothing left to undo.
    mutating func take(undone outcome: ChangeOutcome) {
        switch outcome {
        case .done(let record): (verdict, state) = (.done, record.state)
        case .refused(.changed): take(outcome)
        case .already, .refused: verdict = .already
        }
    }

    /// True if an undo has given the handle back.
    var isRestored: Bool { verdict == .done && state.map { $0 != .free } ?? false }

    /// Takes the outcome of the claim of a repair. The reasons against the name itself stay.
    mutating func take(_ outcome: ChangeOutcome, of repair: DisplayHandle) {
        switch outcome {
        case .done: (verdict, claimedAs) = (.done, repair)
        case .already: (verdict, claimedAs) = (.already, repair)
        case .refused: break
        }
    }
}

extension RowResult {
    /// Writes the members that every report begins with.
    /// - Parameter result: the word for the verdict.
    func writeCommon(_ result: StaticString, to json: inout JSONWriter) {
        json.member("line", line)
        json.member("record", record)
        // Invalid UTF-8 becomes U+FFFD.
        json.member("input", String(decoding: input, as: UTF8.self))
        json.member("handle", display?.handle.letters)
        json.member("display", display?.letters)
        json.member("result", result.description)
        json.key("reasons")
        json.write(reasons, for: .keyHolders)
        if duplicate != .none {
            json.member("duplicate", duplicate.code.description)
            json.member("first_line", firstLine)
        }
        if let fault {
            json.key("fault")
            fault.write(to: &json)
        }
    }
}
