import HandleCore
import Postgres

/// Takes an archive in, line by line: every name that this registry has never had. Safe to repeat.
///
/// Owners are known by their ids, so their marks are made anew with this registry's salt; what is known only by a mark
/// keeps it, and nobody will be recognised by it.
package struct ArchiveImport: Sendable {
    private let registry: Registry
    private let actor: String
    private let hasEnd: Bool
    private var hasHistory: Bool?
    private var read = ArchiveCounts()
    private var end: ArchiveEnd?
    private var pending: [NameToRestore] = []
    private var pendingHandles: Set<Handle> = []
    /// The names that are kept for former owners, with their places.
    private var quarantined: [OwnerMark: [(place: Int, handle: Handle)]] = [:]
    package private(set) var counts = Counts()

    package struct Counts: Sendable, Equatable {
        package var imported = 0
        package var already = 0
        package var words = 0
        package var refused = 0
    }

    /// A line that can't be taken in. What was before it is, and to run the import again is safe.
    package struct Fault: Error, Sendable, CustomStringConvertible {
        package let line: Int
        package let description: String
        /// Nothing of the archive was taken in.
        package var isBeforeAll = false
    }

    /// A name or word that is other here than in the archive, and stays as it is.
    package struct Refusal: Sendable {
        package let subject: String
        package let why: String
    }

    /// Names in one transaction.
    private static let importedAtOnce = 2000
    private static let maxAttempts = 3

    /// - Parameters:
    ///   - actor: who is noted as having done it, in the history of names that bring none.
    ///   - hasEnd: whether the archive must say that it is whole. That its bytes are those that were written is for
    ///     ``ArchiveCheck``.
    package init(_ registry: Registry, actor: String, hasEnd: Bool = true) {
        self.registry = registry
        self.actor = actor
        self.hasEnd = hasEnd
    }

    /// Takes a line in, at the latest with ``finish(_:)``.
    /// - Parameters:
    ///   - number: of the line in the archive, from 1.
    ///   - refuse: is told what can't be taken in.
    /// - Throws: ``Fault``, `PostgresError`; what `refuse` throws.
    package mutating func take(_ line: ArraySlice<UInt8>, number: Int, refuse: (Refusal) throws -> Void) async throws {
        let parsed: ArchiveLine
        do throws(ArchiveLine.Fault) {
            parsed = try ArchiveLine(line)
        } catch {
            throw Fault(line: number, description: error.description)
        }
        if case .registry(let format, let history) = parsed {
            guard (1...Registry.archiveFormat).contains(format) else {
                throw Fault(line: number, description: "its format is \(format); use a newer program")
            }
            hasHistory = history
            return
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
            read.names += 1
            guard hasHistory == (name.version != nil), hasHistory || name.state != .free else {
                throw Fault(line: number, description: "the first line says otherwise about the history")
            }
            try checkLast(before: number)
            if pending.count == Self.importedAtOnce { try await flush(refuse) }
            guard pendingHandles.insert(name.handle).inserted else {
                throw Fault(line: number, description: "the archive has \(name.handle) twice")
            }
            pending.append(NameToRestore(name: name))
        case .event(let event):
            read.events += 1
            guard hasHistory, let last = pending.last, last.name.handle == event.handle else {
                throw Fault(line: number, description: "it does not follow its name")
            }
            guard event.follows(last.events.last) else {
                throw Fault(
                    line: number,
                    description:
                        "it does not follow the event before it: versions count from 1, each event begins in the "
                        + "state in which the last one has ended, and none is older than that")
            }
            pending[pending.count - 1].events.append(event)
        }
    }

    /// Refuses an archive in which the history of a name does not lead to the name.
    private func checkLast(before number: Int) throws(Fault) {
        guard hasHistory == true, let last = pending.last else { return }
        guard let event = last.events.last, event.leads(to: last.name) else {
            throw Fault(line: number - 1, description: "the history of \(last.name.handle) does not end with its state")
        }
    }

    /// Takes in what is left, once there are no more lines.
    /// - Parameter lines: how many there were.
    /// - Throws: ``Fault``, `PostgresError`; what `refuse` throws.
    package mutating func finish(lines: Int, refuse: (Refusal) throws -> Void) async throws {
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

    private mutating func restore(_ word: WordChange, _ refuse: (Refusal) throws -> Void) async throws {
        if try await !registry.pool.run(RestoreWord(change: word)).isEmpty {
            counts.words += 1
        } else if try await !registry.wordChanges().contains(where: { $0.saysTheSame(as: word) }) {
            counts.refused += 1
            try refuse(Refusal(subject: word.word.description, why: "the word differs here"))
        }
    }

    private mutating func flush(_ refuse: (Refusal) throws -> Void) async throws {
        guard !pending.isEmpty else { return }
        let (done, scope) = (pending, try await registry.scope())
        (pending, pendingHandles) = ([], [])
        for attempt in 1... {
            let records = try await registry.lookUp(done.map(\.name.handle)).records
            let missing = done.filter { records[$0.name.handle] == nil }
            do {
                try await insert(missing, scope, isAlone: attempt == 1)
            } catch let error as PostgresError where error.sqlState == "23505" && attempt < Self.maxAttempts {
                // Somebody has taken one of the names meanwhile, or one that looks like it.
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
                        Refusal(
                            subject: name.handle.description,
                            why: "the name is known to this registry: it is \(record?.state.rawValue ?? "") here"))
                }
            }
            return
        }
    }

    /// Remembers a name that is kept for its former owner.
    private mutating func note(_ name: ArchivedName, _ scope: Scope) {
        guard name.state == .quarantined, let mark = name.former(scope) else { return }
        // One that the owner's notes did not have comes last.
        quarantined[mark, default: []].append((name.place ?? .max, name.handle))
    }

    /// - Parameter isAlone: whether nobody is thought to take names that look like these at the same time: then keys that
    ///   nothing is known of are copied, which is quicker than to lock them first.
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
                transaction.put(entries.filter { $0.version > 1 })
            } else {
                let (known, now) = try await transaction.run(LockLookalikes(keys: keys), TransactionTime())
                transaction.put(rows.lookalikes(adding: known, at: now[0]))
            }
            try await transaction.copy(rows.handles)
            try await transaction.copy(rows.events)
            try await transaction.commit()
        }
    }
}

extension ArchivedName {
    /// Whether a name stands here as it does in the archive.
    fileprivate func isSame(as record: Record, _ scope: Scope) -> Bool {
        record.display == display && record.state == state
            && record.changedAt.microseconds == since.microseconds
            && record.until?.microseconds == until?.microseconds
            && record.reason == reason && record.owner == (state == .quarantined ? nil : owner)
            && record.former == former(scope)
    }

    /// The mark of the former owner of a quarantined name.
    func former(_ scope: Scope) -> OwnerMark? {
        state == .quarantined ? owner.map(scope.mark) ?? formerMark : nil
    }
}
