import HandleCore
import Postgres

/// Imports an archive line by line: every handle of which this registry has no record. Safe to repeat.
///
/// Owners are imported by id, and get new marks with this registry's salt. An owner known only by mark keeps the old
/// mark, which matches no id here.
package struct ArchiveImport: Sendable {
    private let registry: Registry
    private let actor: String
    private let hasEnd: Bool
    private var hasHistory: Bool?
    private var read = ArchiveCounts()
    private var end: ArchiveEnd?
    private var pending: [NameToRestore] = []
    private var pendingHandles: Set<Handle> = []
    /// Handles quarantined for former owners, with their places.
    private var quarantined: [OwnerMark: [(place: Int, handle: Handle)]] = [:]
    package private(set) var counts = Counts()

    package struct Counts: Sendable, Equatable {
        package var imported = 0
        package var already = 0
        package var words = 0
        package var refused = 0
    }

    /// A line that can't be imported. Earlier lines have been imported; running the import again is safe.
    package struct Fault: Error, Sendable, CustomStringConvertible {
        package let line: Int
        package let description: String
        /// True if nothing of the archive was imported.
        package var isBeforeAll = false
    }

    /// A handle or word that differs here from the archive and stays as it is.
    package struct Skipped: Sendable {
        package let subject: String
        package let why: String
    }

    /// Handles imported in one transaction.
    private static let importedAtOnce = 2000
    private static let maxAttempts = 3

    /// - Parameters:
    ///   - actor: the actor of the events written for handles without a history.
    ///   - hasEnd: true if the archive must have an end line. The hash of its bytes is checked by ``ArchiveCheck``.
    package init(_ registry: Registry, actor: String, hasEnd: Bool = true) {
        self.registry = registry
        self.actor = actor
        self.hasEnd = hasEnd
    }

    /// Takes a line. It is imported by ``finish(_:)`` at the latest.
    /// - Parameters:
    ///   - number: the line's number in the archive, from 1.
    ///   - refuse: called with each handle or word that differs here.
    /// - Throws: ``Fault``, `PostgresError`; errors of `refuse`.
    package mutating func take(_ line: ArraySlice<UInt8>, number: Int, refuse: (Skipped) throws -> Void) async throws {
        let parsed: ArchiveLine
        do throws(ArchiveLine.Fault) {
            parsed = try ArchiveLine(line)
        } catch {
            throw Fault(line: number, description: error.description)
        }
        if case .registry(let format, let history) = parsed {
            return try begin(format, withHistory: history, number)
        }
        guard let hasHistory else {
            throw Fault(line: number, description: "an archive begins with a line of the kind registry")
        }
        guard end == nil else { throw Fault(line: number, description: "it comes after the end of the archive") }
        switch parsed {
        case .registry: break
        case .end(let found):
            try checkLast(before: number)
            guard found.counts == read else {
                throw Fault(line: number, description: "the counts of the end line don't match the archive")
            }
            end = found
        case .word(let word):
            read.words += 1
            try await restore(word, refuse)
        case .name(let name):
            guard hasHistory == (name.version != nil), hasHistory || name.state != .free else {
                throw Fault(line: number, description: "the first line says otherwise about the history")
            }
            try await take(name, number, refuse)
        case .event(let event):
            guard hasHistory, let last = pending.last, last.name.handle == event.handle else {
                throw Fault(line: number, description: "it does not follow its name")
            }
            try take(event, after: last, number)
        }
    }

    private mutating func begin(_ format: Int, withHistory history: Bool, _ number: Int) throws(Fault) {
        guard (1...Registry.archiveFormat).contains(format) else {
            throw Fault(line: number, description: "its format is \(format); use a newer program")
        }
        hasHistory = history
    }

    private mutating func take(
        _ name: ArchivedName, _ number: Int, _ refuse: (Skipped) throws -> Void
    ) async throws {
        read.names += 1
        try checkLast(before: number)
        if pending.count == Self.importedAtOnce { try await flush(refuse) }
        guard pendingHandles.insert(name.handle).inserted else {
            throw Fault(line: number, description: "the archive has \(name.handle) twice")
        }
        pending.append(NameToRestore(name: name))
    }

    private mutating func take(_ event: Event, after last: NameToRestore, _ number: Int) throws {
        read.events += 1
        guard event.follows(last.events.last) else {
            throw Fault(
                line: number,
                description:
                    "it does not follow the event before it: versions count from 1, each event begins in the state in "
                    + "which the last one has ended, and none is older than that")
        }
        pending[pending.count - 1].events.append(event)
    }

    /// Refuses an archive in which the history of the last handle does not lead to its state.
    private func checkLast(before number: Int) throws(Fault) {
        guard hasHistory == true, let last = pending.last else { return }
        guard let event = last.events.last, event.leads(to: last.name) else {
            throw Fault(line: number - 1, description: "the history of \(last.name.handle) does not end with its state")
        }
    }

    /// Imports the remaining handles after the last line.
    /// - Parameter lines: the number of lines in the archive.
    /// - Throws: ``Fault``, `PostgresError`; errors of `refuse`.
    package mutating func finish(lines: Int, refuse: (Skipped) throws -> Void) async throws {
        if end == nil {
            try checkLast(before: lines + 1)
            guard !hasEnd else { throw Fault(line: lines, description: "the archive is truncated here") }
        }
        try await flush(refuse)
        for (mark, names) in quarantined {
            let handles = names.sorted { $0.place < $1.place }.map(\.handle)
            _ = try await registry.pool.run(RestoreQuarantined(mark: mark, handles: handles))
        }
        try await registry.refreshWords()
    }

    private mutating func restore(_ word: WordChange, _ refuse: (Skipped) throws -> Void) async throws {
        if try await !registry.pool.run(RestoreWord(change: word)).isEmpty {
            counts.words += 1
        } else if try await !registry.wordChanges().contains(where: { $0.saysTheSame(as: word) }) {
            counts.refused += 1
            try refuse(Skipped(subject: word.word.description, why: "the word differs here"))
        }
    }

    private mutating func flush(_ refuse: (Skipped) throws -> Void) async throws {
        guard !pending.isEmpty else { return }
        let (done, scope) = (pending, try await registry.scope())
        (pending, pendingHandles) = ([], [])
        for attempt in 1... {
            let records = try await registry.lookUp(done.map(\.name.handle)).records
            let missing = done.filter { records[$0.name.handle] == nil }
            do {
                try await insert(missing, scope, isAlone: attempt == 1)
            } catch let error as PostgresError where error.sqlState == "23505" && attempt < Self.maxAttempts {
                // Another transaction took one of the handles, or a look-alike of one.
                continue
            }
            counts.imported += missing.count
            for pending in done {
                let (name, record) = (pending.name, records[pending.name.handle])
                if record.map({ name.isSame(as: $0, scope) }) ?? true {
                    counts.already += record == nil ? 0 : 1
                    note(name, scope)
                } else {
                    counts.refused += 1
                    try refuse(
                        Skipped(
                            subject: name.handle.description,
                            why: "the name is known to this registry: it is \(record?.state.rawValue ?? "") here"))
                }
            }
            return
        }
    }

    /// Remembers a handle that is quarantined for its former owner.
    private mutating func note(_ name: ArchivedName, _ scope: Scope) {
        guard name.state == .quarantined, let mark = name.former(scope) else { return }
        // A handle without a place comes last.
        quarantined[mark, default: []].append((name.place ?? .max, name.handle))
    }

    /// - Parameter isAlone: true to assume that no other transaction takes look-alikes of these handles. Rows of new
    ///   look-alike keys are then copied, which is faster than locking them first.
    private func insert(_ names: [NameToRestore], _ scope: Scope, isAlone: Bool) async throws {
        guard !names.isEmpty else { return }
        let rows = ArchiveRows(names, actor: actor, scope)
        try await registry.pool.transaction(beginningWith: [LongStatements()], until: .now + LongStatements.longest) {
            transaction in
            _ = try await transaction.run(RestoreOwners(owners: rows.owners))
            let keys = Set(rows.names.map { LookalikeKey($0.name.handle) }).sorted()
            if isAlone {
                let (known, now) = try await transaction.run(LockKnownLookalikes(keys: keys), TransactionTime())
                let entries = rows.lookalikes(adding: known, at: now[0])
                var copied = CopyRows.lookalikes(reservingCapacity: entries.count * 200)
                for entry in entries.sorted(by: { $0.key < $1.key }) where entry.version == 1 { copied.add(entry) }
                try await transaction.copy(copied)
                transaction.putLast(entries.filter { $0.version > 1 })
            } else {
                let (known, now) = try await transaction.run(
                    LockLookalikes(locks: keys.map { LockLookalike(key: $0) }), TransactionTime())
                transaction.putLast(rows.lookalikes(adding: known, at: now[0]))
            }
            try await transaction.copy(rows.handles)
            try await transaction.copy(rows.events)
            try await transaction.commit()
        }
    }
}

extension ArchivedName {
    /// True if the record equals the archived handle.
    fileprivate func isSame(as record: Record, _ scope: Scope) -> Bool {
        record.display == display && record.state == state
            && record.changedAt.microseconds == since.microseconds
            && record.until?.microseconds == until?.microseconds
            && record.reason == reason && record.owner == (state == .quarantined ? nil : owner)
            && record.former == former(scope)
    }

    /// The mark of the former owner of a quarantined handle.
    func former(_ scope: Scope) -> OwnerMark? {
        state == .quarantined ? owner.map(scope.mark) ?? formerMark : nil
    }
}
