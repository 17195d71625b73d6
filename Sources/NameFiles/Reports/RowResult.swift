import HandleRegistry
import HandleRules

/// The result for one row of a file that changes the registry.
struct RowResult: Sendable {
    let line: Int
    let record: Int
    /// The bytes of the name, as in the file.
    let input: ArraySlice<UInt8>
    /// The bytes of the owner, as ``JudgedChunk/field(_:column:)`` reads them; nil for a file without owners.
    var owner: ArraySlice<UInt8>?
    var display: DisplayHandle?
    /// Nil until the row is decided.
    var verdict: RowVerdict?
    /// Reasons of a refused row.
    private(set) var reasons: [Reason] = []
    /// The protected handle that a reserved handle looks like, kept for the same owner, or for the operator as well.
    private(set) var original: Handle?
    /// True if the handle is reserved for an owner, and not for the operator.
    private(set) var isForOwner = false
    /// Other look-alikes of a reserved handle that are in use. They stay with their owners.
    private(set) var lookalikes: [Handle] = []
    /// Line of the earlier row with the same handle, if the row is a duplicate.
    private(set) var firstLine: Int?
    /// Message about an unreadable row.
    private(set) var fault: String?
    /// The reservation that stays in place of another one that the row asks for.
    private(set) var present: Reservation?
    /// The present state of a handle that an undo leaves alone.
    private(set) var state: Handle.State?
    /// The fault of the record, if that makes the row unreadable.
    private(set) var recordFault: RecordFault?
    /// Whether the record is blank. It is counted, and not reported.
    let isBlank: Bool
    /// The kind of the duplicate, also for rows that are refused for another reason.
    let duplicate: Duplicate

    /// A row without a verdict.
    init(_ index: Int, of chunk: JudgedChunk) {
        line = chunk.line(index)
        record = chunk.record(index)
        input = chunk.input(index)
        isBlank = chunk.rows[index].kind == .blank
        duplicate = chunk.rows[index].duplicate
        display = chunk.reading(index)?.display
    }

    /// A row with its verdict, if that follows from the file.
    /// - Parameter wordsCount: true if a malformed name is also refused as a reserved word.
    init(_ index: Int, of chunk: JudgedChunk, wordsCount: Bool) {
        self.init(index, of: chunk)
        if let reading = chunk.reading(index) {
            if display == nil {
                let word = wordsCount ? chunk.word(index) : nil
                (verdict, reasons) = (.invalid, Decision.decide(reading, word: word).reasons)
            } else if duplicate.isSameHandle {
                refuse(duplicateOf: chunk.rows[index].firstLine)
            }
        } else {
            let fault = chunk.fault(index)
            recordFault = fault
            refuse(unreadable: fault.message)
        }
    }

    mutating func refuse(unreadable fault: String) { (verdict, self.fault) = (.unreadable, fault) }

    mutating func refuse(duplicateOf line: Int) { (verdict, firstLine) = (.duplicate, line) }

    /// - Parameter wanted: the reservation that the row asks for. An owner or end that it leaves open is no difference.
    mutating func take(_ reserved: Reserved, wanted: Reservation) {
        take(reserved.outcome)
        if case .already(let record) = reserved.outcome,
            wanted.owner != nil && record.owner != wanted.owner || wanted.until != nil && record.until != wanted.until
        {
            verdict = .changed
            present = Reservation(reason: record.reason ?? "", owner: record.owner, until: record.until)
        }
        (original, lookalikes) = (reserved.original, reserved.lookalikes)
        isForOwner = reserved.outcome.record?.owner != nil
    }

    mutating func take(_ outcome: ChangeOutcome) {
        switch outcome {
        case .done: verdict = .done
        case .already: verdict = .already
        case .refused(.changed(let record)): (verdict, state) = (.changed, record?.state)
        case .refused(let refusal): (verdict, reasons) = (.unavailable, refusal.reasons)
        }
    }
}
