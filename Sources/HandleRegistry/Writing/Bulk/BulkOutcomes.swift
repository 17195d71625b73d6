package import HandleRules
import Postgres

/// Called with handles about to be changed, and the numbers of the changes, by which ``BulkUndo`` finds them. They may be
/// refused or changed by others first. Changes that the caller writes down here can be undone, even after a crash.
package typealias UndoNote = @Sendable (_ names: [(handle: Handle, change: Int64)]) throws -> Void

/// The outcomes of changes that are made batch by batch.
package struct BulkOutcomes: Sendable {
    /// In the order of the changes; nil for a change that was not made because of the fault.
    package internal(set) var outcomes: [ChangeOutcome?]
    /// The error that ended the work: `PostgresError`, or an error of the note. Repeating is safe.
    package internal(set) var fault: (any Error)?

    init(count: Int) { outcomes = [ChangeOutcome?](repeating: nil, count: count) }
}

extension WriteSide {
    /// Writes changes as if one after the other, and sets their outcomes. They are written in one transaction, except for
    /// a change that has to wait for a row lock: it is made alone, so that the others don't keep their locks meanwhile.
    /// - Parameters:
    ///   - indices: of the changes to write, no two of one handle.
    ///   - outcomes: those of all `changes`.
    func writeApart<C: Change>(
        _ indices: ArraySlice<Int>, of changes: [C], _ outcomes: inout [C.Outcome?]
    ) async throws {
        do {
            let written = try await write(indices.map { changes[$0] }, waitingShortly: indices.count > 1)
            for (index, outcome) in zip(indices, written) { outcomes[index] = outcome }
        } catch let error as PostgresError where error.isOfContention && indices.count > 1 {
            let middle = indices.startIndex + indices.count / 2
            try await writeApart(indices[..<middle], of: changes, &outcomes)
            try await writeApart(indices[middle...], of: changes, &outcomes)
        }
    }
}
