package import HandleCore
import HandleRegistry

/// Result of one row of a file of handles and owners.
package struct ClaimedRow: Sendable {
    package let line: Int
    package let record: Int
    /// The text in the file, with U+FFFD for invalid UTF-8.
    package let input: String
    package let owner: String
    package let handle: Handle?
    package let display: DisplayHandle?
    package private(set) var result = Result.open
    /// Reasons of a refused row.
    package private(set) var reasons: [Reason] = []
    /// Line of the earlier row with the same handle, if the row is a duplicate.
    package private(set) var firstLine: Int?
    /// Message about an unreadable row.
    package private(set) var fault: String?

    package enum Result: String, Sendable, CaseIterable {
        /// Not done yet.
        case open
        /// The owner has claimed the handle now.
        case claimed
        /// The owner had claimed the handle already.
        case already
        /// The handle can't be claimed: see `reasons`.
        case refused
        /// An earlier row has the same handle.
        case duplicate
        /// The row has no readable handle or no readable owner.
        case unreadable
    }

    /// Result of a judged row: open if it is to be claimed.
    init(_ index: Int, _ judged: JudgedChunk, _ words: ReservedWords, _ policy: Policy) {
        let row = judged.rows[index]
        let decision = judged.decision(index, words, policy)
        line = judged.line(index)
        record = judged.record(index)
        input = String(decoding: judged.input(index), as: UTF8.self)
        let ownerBytes = judged.input(index, column: 1)
        owner = String(decoding: ownerBytes, as: UTF8.self)
        handle = decision?.reading.handle
        display = decision?.reading.display
        switch judged.rowVerdict(index, words, policy) {
        case .unreadable: (result, fault) = (.unreadable, judged.fault(index).message)
        case .invalid: (result, reasons) = (.refused, decision?.reasons ?? [])
        case .duplicate: (result, firstLine) = (.duplicate, row.firstLine)
        // A reserved word may be reserved for this owner: the registry decides.
        case .valid, .unavailable:
            if row.duplicate.isSameHandle { (result, firstLine) = (.duplicate, row.firstLine) }
        }
        if result == .open, Owner(owner) == nil || String(validating: ownerBytes, as: UTF8.self) == nil {
            (result, fault) = (.unreadable, "The owner is not \(Owner.rule).")
        }
    }

    mutating func take(_ outcome: ChangeOutcome) {
        switch outcome {
        case .done: take(.claimed)
        case .already: take(.already)
        case .refused(let refusal): take(.refused, refusal.reasons)
        }
    }

    mutating func take(_ result: Result, _ reasons: [Reason] = []) {
        self.result = result
        self.reasons = reasons
    }
}
