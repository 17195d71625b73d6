import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

/// Checks that the events of each handle form an unbroken chain, that they lead to the current records, and that what is
/// derived from both agrees: the protection from look-alikes, and the owners' accounts.
///
/// Each page is read in one snapshot, and a page with discrepancies a second time, because a snapshot across several nodes
/// is not of one moment.
struct ConsistencyCheck {
    private let connection: Connection
    private let scope: Scope

    /// Events checked in one query.
    private static let verifiedAtOnce: Int64 = 10_000

    /// - Parameter connection: not to be used for anything else afterwards.
    init(_ connection: Connection, _ scope: Scope) { (self.connection, self.scope) = (connection, scope) }

    func run(_ report: (Discrepancy) throws -> Void) async throws {
        try await checkHistories(report)
        try await checkNames(report)
        try await checkCounts(report)
        try await confirmed(report) { try await $0.run(FindBrokenLocks()) }
    }

    private func checkHistories(_ report: (Discrepancy) throws -> Void) async throws {
        var after = ""
        while true {
            let page = try await snapshot { try await $0.run(VerifiedPage(after: after, limit: Self.verifiedAtOnce)) }
            let (start, end) = (after, page.first ?? Registry.behindAll)
            try await confirmed(report) { try await $0.page(after: start, upTo: end, scope).discrepancies() }
            if page.isEmpty { return }
            after = end
        }
    }

    /// Checks what a search through the history does not find.
    private func checkNames(_ report: (Discrepancy) throws -> Void) async throws {
        var last: NamesWithKeysPage.Row?
        while true {
            let start = last
            let page = try await snapshot { try await $0.run(NamesWithKeysPage(last: start)) }
            try await confirmed(report) { try await $0.misplaced(NamesWithKeysPage(last: start)) }
            guard page.count == NamesWithKeysPage.size else { return }
            last = page.last
        }
    }

    private func checkCounts(_ report: (Discrepancy) throws -> Void) async throws {
        var last: [UInt8] = []
        while true {
            let start = last
            let page = try await snapshot { try await $0.run(LookupCounts(after: start)) }
            try await confirmed(report) { try await $0.miscounted(LookupCounts(after: start)) }
            guard page.count == LookupCounts.pageSize, let mark = page.last?.mark else { return }
            last = mark.bytes
        }
    }

    /// Reports the discrepancies that two snapshots have.
    private func confirmed(
        _ report: (Discrepancy) throws -> Void, _ find: (Snapshot) async throws -> [Discrepancy]
    ) async throws {
        let found = try await snapshot(find)
        if found.isEmpty { return }
        let again = Set(try await snapshot(find))
        for discrepancy in found where again.contains(discrepancy) { try report(discrepancy) }
    }

    private func snapshot<Result>(_ body: (Snapshot) async throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        let snapshot = Snapshot(connection: connection, deadline: .now + LongStatements.longest)
        try await connection.run(
            script: """
                BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
                SET LOCAL statement_timeout = '60s'; SET LOCAL enable_seqscan = off;
                """, until: snapshot.deadline)
        let result = try await body(snapshot)
        try await connection.run(script: "COMMIT", until: snapshot.deadline)
        return result
    }
}

/// The tables in one snapshot.
private struct Snapshot {
    let connection: Connection
    let deadline: ContinuousClock.Instant

    func run<Query: Statement>(_ query: Query) async throws -> [Query.Row] {
        try await connection.run(query, until: deadline)
    }

    func page(after: String, upTo end: String, _ scope: Scope) async throws -> VerifiedNames {
        let events = try await run(LastEvents(after: after, upTo: end))
        let names = try await run(LookupStored(keys: Set(events.map { LookalikeKey($0.event.handle) }).sorted()))
        let marks = Set(names.compactMap { $0.record.keeper(scope) })
        return VerifiedNames(
            broken: try await run(FindBrokenEvents(after: after, upTo: end)), events: events, names: names,
            steps: try await run(LookupSteps(handles: names.map(\.record).filter(\.isOwned).map(\.handle))),
            accounts: marks.isEmpty ? [] : try await run(LookupNotes(marks: Array(marks))), scope)
    }

    /// Names without a history, or with another look-alike key than theirs.
    func misplaced(_ page: NamesWithKeysPage) async throws -> [Discrepancy] {
        let names = try await run(page)
        let known = Set(try await run(LookupHistories(handles: names.map(\.handle))))
        return names.compactMap { name in
            let isStray = LookalikeKey(name.handle).letters != name.key
            guard isStray || !known.contains(name.handle.letters) else { return nil }
            return Discrepancy(
                subject: name.handle.description, version: nil, kind: isStray ? .stray : .noHistory)
        }.sorted { $0.subject < $1.subject }
    }

    func miscounted(_ page: LookupCounts) async throws -> [Discrepancy] {
        let counts = try await run(page)
        let claims = try await run(CountClaims(owners: counts.compactMap { $0.id }))
        let byOwner = Dictionary(claims.map { ($0.owner, $0.count) }) { first, _ in first }
        return counts.filter { $0.claimed != $0.id.flatMap { byOwner[$0] } ?? 0 }.map {
            Discrepancy(subject: $0.mark.description, version: nil, kind: .miscounted)
        }
    }
}

/// The names of a range, with their histories.
private struct VerifiedNames {
    private let broken: [Discrepancy]
    private let events: [ChainedEvent]
    /// The rows of each handle; two would be a fault.
    private let names: [Handle: [StoredName]]
    private let origins: [Handle: Origin]
    private let accounts: [OwnerMark: Account]
    private let scope: Scope

    init(
        broken: [Discrepancy], events: [ChainedEvent], names: [StoredName], steps: [LookupSteps.Row],
        accounts: [Account], _ scope: Scope
    ) {
        (self.broken, self.events, self.scope) = (broken, events, scope)
        self.names = Dictionary(grouping: names) { $0.record.handle }
        origins = steps.reduce(into: [:]) { $0[$1.handle, default: Origin()].follow($1.step) }
        self.accounts = Dictionary(accounts.map { ($0.mark, $0) }) { first, _ in first }
    }

    func discrepancies() -> [Discrepancy] {
        let isBroken = Set(broken)
        return broken
            + events.flatMap { chained in
                kinds(of: chained).map { kind in
                    Discrepancy(subject: chained.event.handle.description, version: chained.event.version, kind: kind)
                }.filter { found in
                    // Of an event that is broken itself, nothing else is certain.
                    !isBroken.contains { $0.subject == found.subject && $0.version == found.version }
                }
            }
    }

    private func kinds(of last: ChainedEvent) -> [Discrepancy.Kind] {
        guard let rows = names[last.event.handle], let name = rows.first else { return [.noName] }
        if rows.count > 1 || !last.leads(to: name, scope) { return [.differs] }
        let record = name.record
        if record.isFree { return [] }
        return [(Discrepancy.Kind.unprotected, isProtected(record)), (.unlisted, isListed(record))]
            .filter { !$0.1 }.map(\.0)
    }

    /// True if look-alikes of the handle are refused, or need not be. A constraint of the table is about reservations.
    private func isProtected(_ record: Record) -> Bool {
        record.protection != nil || origins[record.handle]?.state != .reserved
    }

    /// True if the owner's account has the held or quarantined handle.
    private func isListed(_ record: Record) -> Bool {
        guard record.until != nil, let mark = record.keeper(scope) else { return true }
        guard let account = accounts[mark] else { return false }
        return (record.state == .held ? account.holds : account.quarantined).contains {
            $0.handle == record.handle && record.until.isSameMoment(as: $0.end)
        }
    }
}

extension ChainedEvent {
    /// True if the record is as the event has left it.
    fileprivate func leads(to name: StoredName, _ scope: Scope) -> Bool {
        let record = name.record
        return record.version == event.version && record.state == event.to && record.display == event.display
            && record.changedAt.isSameMoment(as: event.at) && record.until.isSameMoment(as: event.until)
            && (!event.saysWhyReserved || record.reason == event.reason)
            && (record.former ?? record.owner.map(scope.mark)) == event.owner && name.lastHash == hash
    }
}

extension Record {
    fileprivate var isOwned: Bool { state == .claimed || state == .quarantined }
}
