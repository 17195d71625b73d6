import HandleRules

/// Changes that are planned together, with their outcomes so far.
struct ChangeBatch<C: Change>: Sendable {
    typealias Outcomes = [(index: Int, outcome: C.Outcome)]

    struct Plans {
        /// The outcomes to commit: of changes that are made, or were made before and are confirmed.
        var made: Outcomes = []
        /// The records among them that are as wanted already.
        var confirmed: [Record] = []
        /// The outcomes of changes that the locks must leave no trace of.
        var idle: Outcomes = []
        /// Handles to lock as well. Not empty if the locks do not fit.
        var more: [Handle?] = []
    }

    let changes: [C]
    /// The indices of the changes without an outcome.
    private(set) var pending: [Int]
    private var outcomes: [C.Outcome?]
    /// Handles to lock besides those that the changes name at first.
    private var more: Set<Handle> = []

    /// - Parameter changes: no two of one handle.
    init(_ changes: [C]) {
        self.changes = changes
        pending = Array(changes.indices)
        outcomes = [C.Outcome?](repeating: nil, count: changes.count)
    }

    /// The outcomes in the order of the changes; fewer while some are pending.
    var settled: [C.Outcome] { outcomes.compactMap(\.self) }

    /// The handles to look up before the locks.
    func lookedUp(_ part: [Int], _ scope: Scope) -> [Handle] {
        Set(part.compactMap { changes[$0].lookedUp(scope) }).sorted()
    }

    /// Settles the changes that are refused without a lock.
    /// - Parameters:
    ///   - part: the changes to plan. The refused ones are removed.
    ///   - records: those of the looked-up handles.
    mutating func refuse(_ part: inout [Int], _ records: [Handle: Record], _ scope: Scope) {
        var refused: Outcomes = []
        for index in part {
            if let handle = changes[index].lookedUp(scope),
                let outcome = changes[index].refusal(records[handle], scope)
            {
                refused.append((index, outcome))
            }
        }
        if refused.isEmpty { return }
        settle(refused)
        part.removeAll { outcomes[$0] != nil }
    }

    /// The rows that some changes touch.
    func touches(of part: some Sequence<Int>, _ records: [Handle: Record], _ scope: Scope) -> Touches {
        var touches = Touches()
        for index in part {
            changes[index].add(to: &touches, changes[index].lookedUp(scope).flatMap { records[$0] }, scope)
        }
        return touches
    }

    /// The rows to lock for some changes.
    func rowsToLock(for part: [Int], _ records: [Handle: Record], _ scope: Scope) -> Touches {
        var touches = touches(of: part, records, scope)
        for handle in more { touches.add(handle) }
        return touches
    }

    /// Plans changes one after the other.
    mutating func plan(_ part: [Int], in rows: inout LockedRows) -> Plans {
        var plans = Plans()
        for index in part {
            switch changes[index].plan(in: &rows) {
            case .commit(let outcome): plans.made.append((index, outcome))
            case .refuse(let outcome): plans.idle.append((index, outcome))
            case .confirm(let outcome, let record):
                plans.made.append((index, outcome))
                plans.confirmed.append(record)
            case .lock(let handle): plans.more.append(handle)
            }
        }
        more.formUnion(plans.more.compactMap(\.self))
        return plans
    }

    mutating func settle(_ settled: Outcomes) {
        if settled.isEmpty { return }
        for (index, outcome) in settled { outcomes[index] = outcome }
        pending.removeAll { outcomes[$0] != nil }
    }

    /// Makes changes pending again.
    mutating func reopen(_ indices: [Int]) {
        for index in indices { outcomes[index] = nil }
        pending = (pending + indices).sorted()
    }
}
