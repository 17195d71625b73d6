import HandleRules

/// Makes changes of one kind, batch by batch: releases, renames, assignments. Safe to repeat.
package struct BulkChange: Sendable {
    private let registry: Registry
    private let note: UndoNote?
    /// Nil to make the changes.
    private let dryRun: DryRun?

    /// Changes in one transaction. It locks the accounts of their owners for some hundredths of a second.
    private static let madeAtOnce = 512

    /// - Parameters:
    ///   - isDryRun: true to find the outcomes that the changes would have, and change nothing.
    ///   - note: called with handles about to be changed; nil if the changes can't be undone later.
    package init(_ registry: Registry, isDryRun: Bool = false, noting note: UndoNote? = nil) {
        self.registry = registry
        self.note = note
        dryRun = isDryRun ? DryRun(registry) : nil
    }

    /// Makes changes, as if one after the other.
    package func make<C: Change>(_ changes: [C]) async -> BulkOutcomes where C.Outcome == ChangeOutcome {
        var made = BulkOutcomes(count: changes.count)
        do {
            for part in Self.parts(try await handles(of: changes)) {
                if let dryRun {
                    made.outcomes.replaceSubrange(part, with: try await dryRun.perform(Array(changes[part])))
                } else {
                    try await note(Array(changes[part]))
                    try await registry.writes.writeApart(Array(part)[...], of: changes, &made.outcomes)
                }
            }
        } catch {
            made.fault = error
        }
        return made
    }

    /// Notes the changes that would be made. An undo would report the others as changed since.
    private func note<C: Change>(_ changes: [C]) async throws where C.Outcome == ChangeOutcome {
        guard let note else { return }
        let outcomes = try await DryRun(registry).perform(changes)
        let wanted = zip(changes, outcomes).filter { $1.isDone }.map(\.0)
        let names = zip(wanted, try await handles(of: wanted)).flatMap { change, handles in
            handles.sorted().map { (handle: $0, change: change.number) }
        }
        if !names.isEmpty { try note(names) }
    }

    private func handles<C: Change>(of changes: [C]) async throws -> [Set<Handle>] {
        let scope = try await registry.writes.scope()
        return changes.map { change in
            var touches = Touches()
            change.add(to: &touches, nil, scope)
            return touches.handles
        }
    }

    /// Consecutive changes of different handles.
    private static func parts(_ handles: [Set<Handle>]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var taken: Set<Handle> = []
        for (index, handles) in handles.enumerated() {
            if let last = parts.last, last.count < madeAtOnce, taken.isDisjoint(with: handles) {
                parts[parts.endIndex - 1] = last.lowerBound..<index + 1
            } else {
                parts.append(index..<index + 1)
                taken = []
            }
            taken.formUnion(handles)
        }
        return parts
    }
}
