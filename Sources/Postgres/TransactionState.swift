/// The statements that a transaction sends besides its caller's: BEGIN with the first ones, and deferred ones with
/// COMMIT.
///
/// A value without a connection. Once the transaction has ended, the next statements begin a new one.
struct TransactionState {
    private enum Phase { case pending, open }

    private let first: [any Statement]
    private var phase = Phase.pending
    private var deferred: [any Statement] = []

    /// - Parameter more: statements to send right after BEGIN.
    init(beginningWith more: [any Statement]) { first = [Begin()] + more }

    var isOpen: Bool { phase == .open }

    mutating func deferToCommit(_ statement: some Statement) { deferred.append(statement) }

    /// Statements are about to be sent.
    /// - Returns: the statements to send before them.
    mutating func run() -> [any Statement] {
        defer { phase = .open }
        return phase == .open ? [] : first
    }

    /// COMMIT is about to be sent.
    /// - Returns: the statements to send before it.
    mutating func commit() -> [any Statement] { run() + deferred }

    /// The server has committed.
    mutating func committed() { (phase, deferred) = (.pending, []) }

    /// The transaction is to be rolled back.
    /// - Returns: false if nothing was sent, so there is nothing to roll back.
    mutating func rollBack() -> Bool {
        defer { (phase, deferred) = (.pending, []) }
        return phase == .open
    }
}
