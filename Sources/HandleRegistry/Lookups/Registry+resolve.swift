package import HandleRules
import HandleWords
import Postgres

/// The claimed handle that a handle leads to.
package enum Resolution: Sendable {
    /// The handle is claimed.
    case found(Record)
    /// The handle is in quarantine after a rename, and its former owner lets it lead to their present one.
    case moved(Record, to: Record)
    case none
}

extension Registry {
    /// The claimed handles that handles lead to now, in their order.
    ///
    /// An old handle leads to its former owner's claimed one. If the owner has several, it leads to the one that it was
    /// renamed to, or that this one was renamed to since. It never leads to another owner's.
    /// - Throws: `PostgresError`
    package func resolve(_ handles: [Handle]) async throws -> [Resolution] {
        if handles.isEmpty { return [] }
        let records = try await lookUp(handles)
        let moved = try await targets(of: records.values.filter { $0.isForwarded && !$0.hasLapsed })
        return handles.map { handle in
            guard let record = records[handle], !record.isFree else { return .none }
            if record.state == .claimed { return .found(record) }
            return moved[handle].map { .moved(record, to: $0) } ?? .none
        }
    }

    /// The claimed handles of owners, each owner's in alphabetical order.
    /// - Throws: `PostgresError`
    package func claims(of owners: [Owner]) async throws -> [Owner: [Record]] {
        if owners.isEmpty { return [:] }
        let claimed = try await pool.run(LookupOwners(owners: owners)).filter { $0.state == .claimed }
        return Dictionary(grouping: claimed) { $0.owner ?? Owner(stored: "") }
    }

    /// The present handles that old ones lead to.
    private func targets(of records: [Record]) async throws -> [Handle: Record] {
        let marks = Set(records.compactMap(\.former))
        if marks.isEmpty { return [:] }
        // An owner that was deleted has no id.
        let accounts = try await pool.run(LookupAccounts(marks: Array(marks)))
        let claims = try await claims(of: accounts.compactMap(\.owner))
        let claimed = Dictionary(
            accounts.map { account in (account.mark, account.owner.flatMap { claims[$0] } ?? []) }
        ) { first, _ in first }
        var targets: [Handle: Record] = [:]
        // The old handles of owners with several claims, by the handle that each has led to so far.
        var open: [(old: Record, now: Record)] = []
        for record in records {
            let claims = record.former.flatMap { claimed[$0] } ?? []
            if claims.count == 1 {
                targets[record.handle] = claims[0]
            } else if claims.count > 1 {
                open.append((record, record))
            }
        }
        // Each step goes on from a handle to the one that it was renamed to. Handles in quarantine are few.
        for _ in 0..<Self.longestWay where !open.isEmpty {
            let next = try await renamed(open.map(\.now))
            let missing = Set(next.values).subtracting(claimed.values.joined().map(\.handle))
            let others = try await lookUp(Array(missing))
            open = open.compactMap { old, now in
                guard let former = old.former, let name = next[now.handle] else { return nil }
                if let target = claimed[former]?.first(where: { $0.handle == name }) {
                    targets[old.handle] = target
                    return nil
                }
                guard let other = others[name], !other.isFree, other.former == former else { return nil }
                return (old, other)
            }
        }
        return targets
    }

    /// Renames of one owner after each other that a way may have.
    private static let longestWay = 32

    /// The handles that took the place of old ones in their last changes.
    private func renamed(_ records: [Record]) async throws -> [Handle: Handle] {
        let events = try await pool.run(EventsOfVersions(versions: records.map { ($0.handle, $0.version) }))
        return Dictionary(
            events.compactMap { event in
                guard event.action == .renamed, let new = event.related.flatMap({ Handle($0) }) else { return nil }
                return (event.handle, new)
            }
        ) { first, _ in first }
    }
}
