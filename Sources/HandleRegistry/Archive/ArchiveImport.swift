import HandleRules
import Postgres

/// Imports an archive line by line: every handle of which this registry has no record. Safe to repeat.
///
/// Owners are imported by id, and get new marks with this registry's salt. An owner known only by mark keeps the old
/// mark, which matches no id here.
package struct ArchiveImport: Sendable {
    private let registry: Registry
    private let actor: String
    private let isDryRun: Bool
    private var hasHistory: Bool?
    private var read = ArchiveCounts()
    private var end: ArchiveEnd?
    private var pendingWords: [WordChange] = []
    private var pending: [ArchivedName] = []
    private var pendingHandles: Set<Handle> = []
    /// The last owner's locks.
    private var pendingLocks: [ArchivedLock] = []
    package private(set) var counts = Counts()

    package struct Counts: Sendable, Equatable {
        package var imported = 0
        package var already = 0
        package var words = 0
        /// Owners with locks.
        package var locks = 0
        package var refused = 0
    }

    /// A line that can't be imported. Earlier lines have been imported; running the import again is safe.
    package struct Fault: Error, Sendable, CustomStringConvertible {
        package let line: Int
        package let description: String
        /// True if nothing of the archive was imported.
        package var isBeforeAll = false

        /// The first line is not that of an archive.
        static let noArchive = Fault(
            line: 1,
            description:
                "an archive of handles export begins with a line of the kind registry; for another file of names "
                + "and owners, use handles claim --file", isBeforeAll: true)
    }

    /// A handle, word or lock that differs here from the archive and stays as it is.
    package struct Skipped: Sendable {
        package let subject: String
        package let why: String
    }

    /// Handles imported in one transaction.
    private static let importedAtOnce = 2000
    /// Words imported in one transaction. Each transaction makes claims that are under way read the words again.
    private static let wordsAtOnce = 500

    /// The hash of the archive's bytes is checked by ``ArchiveCheck``.
    /// - Parameters:
    ///   - actor: the actor of the events written for handles without a history.
    ///   - isDryRun: true to count what would be imported, and change nothing.
    package init(_ registry: Registry, actor: String, isDryRun: Bool = false) {
        self.registry = registry
        self.actor = actor
        self.isDryRun = isDryRun
    }

    /// Takes a line. It is imported by ``finish(_:)`` at the latest.
    /// - Parameters:
    ///   - number: the line's number in the archive, from 1.
    ///   - refuse: called with each handle, word or lock that differs here.
    /// - Throws: ``Fault``, `PostgresError`; errors of `refuse`.
    package mutating func take(_ line: ArraySlice<UInt8>, number: Int, refuse: (Skipped) throws -> Void) async throws {
        let parsed: ArchiveLine
        do throws(ArchiveLine.Fault) {
            parsed = try ArchiveLine(line)
        } catch {
            throw hasHistory == nil ? Fault.noArchive : Fault(line: number, description: error.description)
        }
        if case .registry(let format, let history) = parsed {
            return try begin(format, withHistory: history, number)
        }
        guard let hasHistory else { throw Fault.noArchive }
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
            if pendingWords.count == Self.wordsAtOnce { try await flushWords(refuse) }
            pendingWords.append(word)
        case .lock(let lock):
            read.locks += 1
            if lock.version == 1 { try await flushLocks(refuse) }
            guard lock.follows(pendingLocks.last) else {
                throw Fault(line: number, description: "it does not follow the lock before it")
            }
            pendingLocks.append(lock)
        case .name(let name):
            guard hasHistory == (name.version != nil), hasHistory || name.state != .free else {
                throw Fault(line: number, description: "the first line says otherwise about the history")
            }
            try await take(name, number, refuse)
        case .event(let event):
            guard hasHistory, let last = pending.last, last.handle == event.handle else {
                throw Fault(line: number, description: "it does not follow its name")
            }
            try take(event, after: last, number)
        }
    }

    private mutating func begin(_ format: Int, withHistory history: Bool, _ number: Int) throws(Fault) {
        guard format == Registry.archiveFormat else {
            throw Fault(
                line: number,
                description: "its format is \(format), and this program reads format \(Registry.archiveFormat)")
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
        pending.append(name)
    }

    private mutating func take(_ event: Event, after last: ArchivedName, _ number: Int) throws {
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
        guard let event = last.events.last, event.leads(to: last) else {
            throw Fault(line: number - 1, description: "the history of \(last.handle) does not end with its state")
        }
    }

    /// Imports the remaining handles after the last line.
    /// - Parameter lines: the number of lines in the archive.
    /// - Throws: ``Fault``, `PostgresError`; errors of `refuse`.
    package mutating func finish(lines: Int, refuse: (Skipped) throws -> Void) async throws {
        guard end != nil else { throw Fault(line: lines, description: "the archive is truncated here") }
        try await flushWords(refuse)
        try await flushLocks(refuse)
        try await flush(refuse)
        if !isDryRun { try await registry.refreshWords() }
    }

    private mutating func flushLocks(_ refuse: (Skipped) throws -> Void) async throws {
        guard let lock = pendingLocks.last else { return }
        let locks = pendingLocks
        pendingLocks = []
        switch try await registry.restore(locks, isDryRun: isDryRun) {
        case true: counts.locks += 1
        case false: break
        case nil:
            counts.refused += 1
            let owner = lock.owner?.id ?? lock.formerMark?.description ?? ""
            try refuse(Skipped(subject: owner, why: "the owner is or was locked otherwise here"))
        }
    }

    private mutating func flushWords(_ refuse: (Skipped) throws -> Void) async throws {
        guard !pendingWords.isEmpty else { return }
        let words = pendingWords
        pendingWords = []
        let areNew = try await isDryRun ? registry.areNew(words) : registry.restore(words)
        counts.words += areNew.count { $0 }
        guard areNew.contains(false) else { return }
        let there = Dictionary(uniqueKeysWithValues: try await registry.wordChanges().map { ($0.word, $0) })
        for (word, isNew) in zip(words, areNew) where !isNew && there[word.word]?.saysTheSame(as: word) != true {
            counts.refused += 1
            try refuse(Skipped(subject: word.word.description, why: "the word differs here"))
        }
    }

    private mutating func flush(_ refuse: (Skipped) throws -> Void) async throws {
        guard !pending.isEmpty else { return }
        try await flushWords(refuse)
        try await flushLocks(refuse)
        let names = pending
        (pending, pendingHandles) = ([], [])
        let scope = try await registry.writes.scope()
        for (name, known) in zip(names, try await registry.restore(names, actor: actor, isDryRun: isDryRun)) {
            if let known, !name.isSame(as: known, scope) {
                counts.refused += 1
                try refuse(
                    Skipped(
                        subject: name.handle.description,
                        why: "the name is known to this registry: it is \(known.state.rawValue) here"))
                continue
            }
            if known == nil { counts.imported += 1 } else { counts.already += 1 }
        }
    }
}
