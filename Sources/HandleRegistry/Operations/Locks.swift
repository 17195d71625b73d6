import HandleCore
import Postgres

import struct FoundationEssentials.Date

/// The look-alike keys that an operation has locked, and the ways to free or quarantine a handle.
struct Locks {
    private let scope: Scope
    private let cause: Cause
    private(set) var entries: [LookalikeKey: LookalikeEntry] = [:]

    init(_ scope: Scope, _ cause: Cause) {
        self.scope = scope
        self.cause = cause
    }

    /// Locks the look-alike keys of handles, in sorted order.
    /// - Parameter duration: how long the handles will be in use, for the rows of new keys; nil for good.
    mutating func lock(
        _ handles: [Handle], lasting duration: Duration? = nil, _ transaction: inout Transaction
    ) async throws {
        for handle in handles.sorted(by: { LookalikeKey($0) < LookalikeKey($1) }) {
            let key = LookalikeKey(handle)
            guard entries[key] == nil else { continue }
            let statement = LockLookalike(handle: handle, use: .name(lasting: duration))
            entries[key] = try await transaction.run(statement).first
        }
    }

    /// Notes that a handle is in use until `end`; nil for good.
    mutating func note(_ handle: Handle, until end: Date?) { entries[LookalikeKey(handle)]?.note(handle, until: end) }

    mutating func noteFree(_ handle: Handle) { entries[LookalikeKey(handle)]?.free(handle) }

    /// Adds the writes of changed keys to the round trip of the commit.
    func writeBack(_ transaction: inout Transaction) {
        for entry in entries.values.sorted(by: { $0.key < $1.key }) {
            transaction.runLast(PutLookalike(entry: entry))
        }
    }

    /// Frees a handle, if `owner` still holds it.
    mutating func endHold(of handle: Handle, _ owner: Owner, _ transaction: inout Transaction) async throws {
        guard let record = try await transaction.run(Lookup(handle: handle)).first, record.state == .held,
            record.owner == owner, !record.isFree
        else { return }
        _ = try await free(record, .moved, &transaction)
    }

    /// Frees a handle, if it is still in quarantine for its former owner.
    mutating func endQuarantine(of handle: Handle, _ mark: OwnerMark, _ transaction: inout Transaction) async throws {
        guard let record = try await transaction.run(Lookup(handle: handle)).first, record.state == .quarantined,
            record.former == mark, !record.isFree
        else { return }
        _ = try await free(record, .displaced, &transaction)
    }

    /// Frees a handle.
    /// - Returns: nil if the record has changed since it was read.
    mutating func free(
        _ record: Record, _ action: Event.Action, change: Int64 = newChange(), _ transaction: inout Transaction
    ) async throws -> Record? {
        let freed = try await transaction.run(
            Free(handle: record.handle, version: record.version, change: change),
            AppendEvent(handle: record.handle, change: change, action: action, cause: cause, owner: nil)
        ).0.first
        if freed != nil { noteFree(record.handle) }
        return freed
    }

    /// Puts a claimed handle into quarantine for its former owner, or frees it if the policy has no quarantine.
    /// - Returns: nil if the record has changed since it was read.
    mutating func quarantine(
        _ record: Record, for mark: OwnerMark, _ action: Event.Action, related: Handle? = nil, change: Int64,
        _ transaction: inout Transaction
    ) async throws -> Record? {
        guard scope.policy.quarantine > .zero else {
            return try await free(record, action, change: change, &transaction)
        }
        let kept = try await transaction.run(
            Quarantine(
                handle: record.handle, version: record.version, former: mark, duration: scope.policy.quarantine,
                change: change),
            AppendEvent(
                handle: record.handle, change: change, action: action, cause: cause, owner: mark,
                related: related?.description)
        ).0.first
        if let kept { note(kept.handle, until: kept.until) }
        return kept
    }
}
