import Testing

@testable import Postgres

private struct First: Statement {
    static let sql = "first"
    func bind(to parameters: inout Parameters) {}
    typealias Row = NoRow
}

private struct Deferred: Statement {
    static let sql = "deferred"
    func bind(to parameters: inout Parameters) {}
    typealias Row = NoRow
}

@Suite struct TransactionStateTests {
    private func names(_ statements: [any Statement]) -> [String] { statements.map { type(of: $0).sql } }

    @Test func beginAndDeferredStatementsAreSentOnce() {
        var state = TransactionState(beginningWith: [First()])
        #expect(!state.isOpen)
        #expect(names(state.run()) == ["BEGIN", "first"])
        #expect(state.isOpen)
        state.deferToCommit(Deferred())
        #expect(names(state.run()) == [])
        #expect(names(state.commit()) == ["deferred"])
        state.committed()
        #expect(!state.isOpen)
    }

    @Test func commitAloneBeginsTheTransaction() {
        var state = TransactionState(beginningWith: [First()])
        state.deferToCommit(Deferred())
        #expect(names(state.commit()) == ["BEGIN", "first", "deferred"])
        // A COMMIT that failed leaves a transaction to roll back.
        #expect(state.rollBack() == true)
    }

    @Test func onlyABegunTransactionIsRolledBack() {
        var state = TransactionState(beginningWith: [])
        #expect(state.rollBack() == false)
        _ = state.run()
        #expect(state.rollBack() == true)
        #expect(state.rollBack() == false)
    }

    @Test func statementsAfterTheEndBeginANewTransaction() {
        var state = TransactionState(beginningWith: [])
        _ = state.run()
        state.deferToCommit(Deferred())
        _ = state.commit()
        state.committed()
        #expect(names(state.commit()) == ["BEGIN"])
        state.deferToCommit(Deferred())
        _ = state.rollBack()
        #expect(names(state.commit()) == ["BEGIN"])
    }
}
