import HandleRules
import HandleWords
import Postgres

/// Checks the data derived from records and their history: the look-alike keys and the owners' accounts.
///
/// Each page is read in one snapshot, and each discrepancy is checked a second time, because a snapshot across several
/// nodes is not of one moment.
struct DerivedCheck {
    private let connection: Connection
    private let scope: Scope

    /// - Parameter connection: not to be used for anything else afterwards.
    init(_ connection: Connection, _ scope: Scope) { (self.connection, self.scope) = (connection, scope) }

    func run(_ report: (Discrepancy) throws -> Void) async throws {
        try await checkCounts(report)
        try await checkNames(report)
        try await checkKeys(report)
    }

    private func checkCounts(_ report: (Discrepancy) throws -> Void) async throws {
        var last: [UInt8] = []
        while true {
            let (page, found) = try await snapshot { snapshot in
                let page = try await snapshot.run(LookupCounts(after: last))
                return (page, try await snapshot.miscounted(page))
            }
            for count in found {
                let again = try await snapshot { try await $0.miscounted($0.run(LookupCounts(of: count.mark))) }
                guard !again.isEmpty else { continue }
                try report(Discrepancy(subject: count.mark.description, version: nil, kind: .miscounted))
            }
            guard page.count == LookupCounts.pageSize, let mark = page.last?.mark else { return }
            last = mark.bytes
        }
    }

    private func checkNames(_ report: (Discrepancy) throws -> Void) async throws {
        var last = PackedASCII()
        while true {
            let page = try await snapshot {
                try await $0.page(of: $0.run(RecordsPage(after: last, withFree: false)), scope)
            }
            try await confirm(page.discrepancies(), report)
            guard page.names.count == RecordsPage.size, let name = page.names.last else { return }
            last = name.handle.letters
        }
    }

    private func checkKeys(_ report: (Discrepancy) throws -> Void) async throws {
        var last = PackedASCII()
        while true {
            let (entries, found) = try await snapshot { snapshot in
                let entries = try await snapshot.run(LookalikesPage(after: last))
                return (entries, try await snapshot.strays(entries))
            }
            try await confirm(found, report)
            guard entries.count == LookalikesPage.size, let entry = entries.last else { return }
            last = entry.key.letters
        }
    }

    private func confirm(_ found: [Discrepancy], _ report: (Discrepancy) throws -> Void) async throws {
        guard !found.isEmpty else { return }
        let handles = Set(found.compactMap { Handle($0.subject) })
        let keys = Set(handles.map { LookalikeKey($0) }).union(found.compactMap(\.key))
        let again = try await snapshot { snapshot in
            let names = try await snapshot.run(LookupMany(handles: handles.sorted())).filter { !$0.isFree }
            let entries = try await snapshot.run(LookupLookalikes(keys: keys.sorted()))
            return Set(try await snapshot.page(of: names, scope).discrepancies() + snapshot.strays(entries))
        }
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

    func page(of names: [Record], _ scope: Scope) async throws -> DerivedPage {
        let marks = Set(names.compactMap { $0.keeper(scope) })
        return DerivedPage(
            names,
            entries: try await run(LookupLookalikes(keys: Set(names.map { LookalikeKey($0.handle) }).sorted())),
            steps: try await run(LookupSteps(handles: names.filter(\.isOwned).map(\.handle))),
            accounts: marks.isEmpty ? [] : try await run(LookupNotes(marks: Array(marks))), scope)
    }

    /// Handles noted for a key that are free or have another key.
    func strays(_ entries: [LookalikeEntry]) async throws -> [Discrepancy] {
        let noted = entries.flatMap { entry in entry.inUse.map { (handle: $0, key: entry.key) } }
        let records = try await run(LookupMany(handles: Set(noted.map(\.handle)).sorted()))
        let inUse = Set(records.filter { !$0.isFree }.map(\.handle))
        return noted.filter { !inUse.contains($0.handle) || LookalikeKey($0.handle) != $0.key }.map {
            Discrepancy(subject: $0.handle.description, version: nil, kind: .stray, key: $0.key)
        }
    }

    func miscounted(_ counts: [LookupCounts.Row]) async throws -> [LookupCounts.Row] {
        let claims = try await run(CountClaims(owners: counts.compactMap { $0.id }))
        let byOwner = Dictionary(claims.map { ($0.owner, $0.count) }) { first, _ in first }
        return counts.filter { count in
            count.claimed != count.id.flatMap { byOwner[$0] } ?? 0
        }
    }
}

extension LookalikeEntry {
    /// The handles in use with this key, and the protected one.
    fileprivate var inUse: Set<Handle> { Set([protecting].compactMap(\.self) + others()) }
}
