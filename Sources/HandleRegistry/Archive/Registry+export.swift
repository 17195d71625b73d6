import HandleRules
import HandleWords
import Postgres

extension Registry {
    /// Version of the archive format.
    static let archiveFormat = 1

    /// The snapshot stays open for as long as the output is read.
    private static let longestExport = Duration.seconds(86400)

    /// Writes the whole registry as lines of JSON, from one snapshot: the changes of the reserved words, the locks of
    /// owners, the handles in alphabetical order, and an end line, by which import knows that the archive is complete. The same registry gives
    /// the same bytes.
    ///
    /// Left out are the secrets of holds, the hashes of owners' ids (as long as the id is known) and their salt.
    /// - Parameters:
    ///   - withHistory: true to include free handles and all events.
    ///   - write: called with whole lines.
    /// - Throws: `PostgresError`; `CancellationError`; errors of `write`.
    package func export(withHistory: Bool, _ write: ([UInt8]) throws -> Void) async throws -> ArchiveCounts {
        let deadline = ContinuousClock.now + Self.longestExport
        return try await pool.withOwnConnection(until: deadline) { connection in
            try await connection.run(
                script: """
                    BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
                    SET LOCAL statement_timeout = '60s'; SET LOCAL idle_in_transaction_session_timeout = 0;
                    SET LOCAL enable_seqscan = off;
                    """, until: deadline)
            // Before all names: what the feed has numbered by now is in the archive, on a cluster too.
            let seq = withHistory ? try await connection.run(LookupFeed(), until: deadline).first?.position : nil
            var counts = ArchiveCounts()
            var json = JSONWriter()
            json.writeArchiveStart(withHistory: withHistory)
            for word in try await connection.run(LookupWords(), until: deadline) {
                json.write(archived: word)
                json.newLine()
                counts.words += 1
            }
            for chained in try await connection.run(AllOwnerEvents(), until: deadline) {
                json.write(archived: chained.event)
                json.newLine()
                counts.locks += 1
            }
            let hash = RunningSHA256()
            hash.add(json.bytes)
            try write(json.bytes)
            var last: Handle?
            while true {
                try Task.checkCancellation()
                let page = try await ArchivePage(
                    after: last, withHistory: withHistory, connection, until: deadline)
                hash.add(page.lines)
                try write(page.lines)
                counts.names += page.names
                counts.events += page.events
                guard let end = page.last else { break }
                last = end
            }
            json = JSONWriter()
            json.write(ArchiveEnd(counts: counts, seq: seq, hash: hash.end().bytes.hexadecimal))
            json.newLine()
            try write(json.bytes)
            return counts
        }
    }
}

extension JSONWriter {
    fileprivate mutating func writeArchiveStart(withHistory: Bool) {
        object { json in
            json.member("kind", "registry")
            json.member("format", Registry.archiveFormat)
            json.member("history", withHistory ? 1 : 0)
        }
        newLine()
    }
}

/// A page of an archive.
private struct ArchivePage {
    private static let size = 2000
    private(set) var lines: [UInt8] = []
    private(set) var names = 0
    private(set) var events = 0
    /// The last handle; nil if there are no further ones.
    private(set) var last: Handle?

    init(
        after: Handle?, withHistory: Bool, _ connection: Connection, until deadline: ContinuousClock.Instant
    ) async throws {
        let range = try await connection.run(
            HandlesPage(after: after?.description ?? "", end: Registry.behindAll, size: Self.size), until: deadline)
        let found = try await connection.run(LookupRecords(handles: range), until: deadline)
        let inUse = Dictionary(grouping: found.compactMap { NameInUse($0) }) { LookalikeKey($0.handle) }
        let byHandle = found.byHandle
        let records = range.compactMap { byHandle[$0] }.filter { withHistory || !$0.isFree }
        let handles = records.map(\.handle)
        let history = withHistory ? try await connection.run(EventsOfMany(handles: handles), until: deadline) : []
        let marks = Set(records.compactMap(\.former) + history.compactMap(\.owner))
        let known = marks.isEmpty ? [] : try await connection.run(LookupAccounts(marks: Array(marks)), until: deadline)
        let accounts = Dictionary(known.map { ($0.mark, $0) }) { first, _ in first }
        let eventsOf = Dictionary(grouping: history, by: \.handle)

        var json = JSONWriter(reservingCapacity: records.count * 200)
        for record in records {
            json.write(
                ArchivedName(
                    record, owner: record.former.flatMap { accounts[$0]?.owner },
                    KnownName(of: record.handle, among: inUse[LookalikeKey(record.handle)] ?? []),
                    withHistory: withHistory))
            json.newLine()
            for event in eventsOf[record.handle] ?? [] {
                var event = event
                event.ownerID = event.owner.flatMap { accounts[$0]?.owner }
                json.write(archived: event)
                json.newLine()
                events += 1
            }
        }
        lines = json.bytes
        names = records.count
        last = range.count == Self.size ? range.last : nil
    }

}

extension ArchivedName {
    /// - Parameter former: the id of the former owner, in quarantine; nil once it was deleted.
    fileprivate init(_ record: Record, owner former: Owner?, _ known: KnownName, withHistory: Bool) {
        self.init(
            display: record.display, state: record.state, owner: record.owner ?? former,
            formerMark: former == nil ? record.former : nil, reason: record.reason,
            since: record.changedAt, until: record.until, isProtected: known.isProtected, isExempt: known.isExempt,
            isForwarded: record.isForwarded,
            version: withHistory ? record.version : nil)
    }
}
