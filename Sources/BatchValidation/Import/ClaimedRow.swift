package import HandleCore
import HandleRegistry

/// A row of a file of names and owners, with its result.
package struct ClaimedRow: Sendable {
    package let line: Int
    package let record: Int
    /// As in the file; what is not UTF-8 there is U+FFFD here.
    package let input: String
    package let owner: String
    package let handle: Handle?
    package let display: DisplayHandle?
    package private(set) var result = Result.open
    /// Why the name was refused.
    package private(set) var reasons: [Reason] = []
    /// The line of the earlier row with the same name, when it is a duplicate.
    package private(set) var firstLine: Int?
    /// Why the row can't be used, when it is unreadable.
    package private(set) var fault: String?

    package enum Result: String, Sendable, CaseIterable {
        /// Not done yet.
        case open
        /// The owner has got it now.
        case claimed
        /// The owner had it already.
        case already
        /// It can't be had: see the reasons.
        case refused
        /// An earlier row has the same name.
        case duplicate
        /// There is no name or no owner in the row that could be read.
        case unreadable
    }

    /// A row that was judged: open when it is to be claimed.
    init(_ index: Int, _ judged: JudgedChunk, _ words: ReservedWords, _ policy: Policy) {
        let row = judged.rows[index]
        let verdict = judged.verdict(index, words, policy)
        line = judged.line(index)
        record = judged.record(index)
        input = String(decoding: judged.input(index), as: UTF8.self)
        let ownerBytes = judged.input(index, column: 1)
        owner = String(decoding: ownerBytes, as: UTF8.self)
        handle = verdict?.reading.handle
        display = verdict?.reading.display
        switch judged.rowVerdict(index, words, policy) {
        case .unreadable: (result, fault) = (.unreadable, judged.fault(index).message)
        case .invalid: (result, reasons) = (.refused, verdict?.reasons ?? [])
        case .duplicate: (result, firstLine) = (.duplicate, row.firstLine)
        // A reserved word may be promised to the owner: the registry knows.
        case .valid, .unavailable:
            if row.duplicate.isSameHandle { (result, firstLine) = (.duplicate, row.firstLine) }
        }
        if result == .open, Owner(owner) == nil || String(validating: ownerBytes, as: UTF8.self) == nil {
            (result, fault) = (.unreadable, "The owner is not \(Owner.rule).")
        }
    }

    mutating func take(_ outcome: TakeOutcome) {
        switch outcome {
        case .taken: take(.claimed, nil)
        case .already: take(.already, nil)
        case .refused(let decision): take(.refused, decision)
        }
    }

    mutating func take(_ result: Result, _ decision: Decision?) {
        self.result = result
        if result == .refused { reasons = decision?.reasons ?? [] }
    }
}
