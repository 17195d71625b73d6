import HandleCore
package import HandleRegistry
package import Records

/// Claims the handles of a file for the owners given there. Safe to repeat; every row is reported.
///
/// A row with the same handle as an earlier row is a duplicate, even if the earlier row is refused. Rows of one
/// owner are claimed in their order. So a run that is repeated after an interruption ends like one that was not
/// interrupted.
package struct BatchClaim: Sendable {
    private let registry: Registry
    private let cause: Cause
    private let isDryRun: Bool

    /// - Parameter isDryRun: true to report the results that the claims would have, and change nothing.
    package init(registry: Registry, cause: Cause, isDryRun: Bool) {
        self.registry = registry
        self.cause = cause
        self.isDryRun = isDryRun
    }

    /// Rows claimed at the same time, so that claims share transactions.
    private static let window = 512
    private static let chunkSize = 64 * 1024
    /// Memory limit for finding duplicates, in bytes.
    private static let memory = 1 << 30

    /// Claims the rows of the file at `path`; `-` is the standard input.
    /// - Parameters:
    ///   - selection: the column of the handles, then the column of the owners.
    ///   - report: called for every row, in the order of the file.
    ///   - progress: called after each group of at most 512 rows.
    /// - Returns: how the run ended. Rows that were reported are done in any case.
    /// - Throws: `RecordsError` if the start of the file can't be read, ``BatchError``, `PostgresError`; errors of
    ///   `report`.
    package func run(
        path: String, selection: Selection, report: (ClaimedRow) throws -> Void, progress: (Progress) -> Void
    ) async throws -> Summary.End {
        let reader = try ChunkReader(path: path, selection: selection, chunkSize: Self.chunkSize)
        var random = SystemRandomNumberGenerator()
        let judge = Judge(
            layout: reader.layout, words: registry.words, fingerprinter: Fingerprinter(using: &random))
        var duplicates = DuplicateFinder(linesBefore: reader.linesBefore, memory: Self.memory)
        var claimed: [Owner: Int] = [:]
        do {
            while let chunk = try reader.next() {
                var judged = judge.judge(chunk)
                try duplicates.find(in: &judged, ofFileWith: reader.progress.size)
                for start in stride(from: 0, to: judged.rows.count, by: Self.window) {
                    try Task.checkCancellation()
                    let window = start..<min(start + Self.window, judged.rows.count)
                    let before = claimed
                    let (rows, fault) = await uninterrupted { [judged] in await claim(window, of: judged, before) }
                    for row in rows {
                        try report(row)
                        if isDryRun, row.result == .claimed, let owner = Owner(row.owner) {
                            claimed[owner, default: 0] += 1
                        }
                    }
                    if let fault { throw fault }
                    let (position, size) = reader.progress
                    progress(Progress(rows: judged.record(window.upperBound) - 1, position: position, size: size))
                }
            }
            return .complete
        } catch let error as RecordsError {
            return .failed(error)
        } catch is CancellationError {
            return .interrupted
        }
    }

    /// Runs `body` to its end even if the task is cancelled, so that the report covers every committed claim.
    private func uninterrupted<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
        await Task { await body() }.value
    }

    /// Claims a group of rows; different owners at the same time.
    /// - Parameter claimed: in a dry run, the number of handles that each owner would have claimed before.
    /// - Returns: the rows that are done, in order, and the error that stopped the others.
    private func claim(
        _ window: Range<Int>, of judged: JudgedChunk, _ claimed: [Owner: Int]
    ) async -> ([ClaimedRow], (any Error)?) {
        var rows: [Int: ClaimedRow] = [:]
        var todo: [Owner: [(row: Int, ClaimedRow)]] = [:]
        for index in window {
            let row = ClaimedRow(index, judged, registry.words, registry.policy)
            if row.result == .open, let owner = Owner(row.owner) {
                todo[owner, default: []].append((index, row))
            } else {
                rows[index] = row
            }
        }
        var fault: (any Error)?
        await withTaskGroup(of: ([(Int, ClaimedRow)], (any Error)?).self) { group in
            for (owner, theirs) in todo {
                let before = claimed[owner] ?? 0
                group.addTask { await claim(theirs, for: owner, before) }
            }
            for await (done, theirFault) in group {
                for (index, row) in done { rows[index] = row }
                fault = fault ?? theirFault
            }
        }
        if !isDryRun {
            let already = rows.filter { $0.value.result == .already }
            do {
                rows.merge(try await confirm(already)) { $1 }
            } catch {
                for index in already.keys { rows[index] = nil }
                fault = fault ?? error
            }
        }
        return (window.compactMap { rows[$0] }, fault)
    }

    /// Confirms rows that a look-up found claimed already, and claims those that are not confirmed.
    /// - Returns: the rows that were not confirmed, with the results of their claims.
    private func confirm(_ rows: [Int: ClaimedRow]) async throws -> [Int: ClaimedRow] {
        var claims: [Handle: Owner] = [:]
        for row in rows.values { if let handle = row.handle { claims[handle] = Owner(row.owner) } }
        guard !claims.isEmpty else { return [:] }
        let confirmed = try await registry.confirm(claims)
        var others: [Int: ClaimedRow] = [:]
        for (index, row) in rows {
            guard let handle = row.handle, !confirmed.contains(handle), let owner = claims[handle] else { continue }
            others[index] = row
            others[index]?.take(try await registry.perform(Claim(row.input, for: owner, cause)))
        }
        return others
    }

    /// Claims the rows of one owner, one after the other, up to the first error.
    private func claim(
        _ rows: [(row: Int, ClaimedRow)], for owner: Owner, _ before: Int
    ) async -> ([(Int, ClaimedRow)], (any Error)?) {
        var before = before
        var done: [(Int, ClaimedRow)] = []
        for (index, row) in rows {
            var row = row
            do { try await claim(&row, for: owner, &before) } catch { return (done, error) }
            done.append((index, row))
        }
        return (done, nil)
    }

    private func claim(_ row: inout ClaimedRow, for owner: Owner, _ before: inout Int) async throws {
        if isDryRun {
            let (decision, isTheirs) = try await registry.decisionToClaim(row.input, for: owner, afterClaiming: before)
            row.take(decision.isAvailable ? (isTheirs ? .already : .claimed) : .refused, decision.reasons)
            if row.result == .claimed { before += 1 }
            return
        }
        if let handle = row.handle, try await registry.hasClaimed(handle, owner) { return row.take(.already) }
        row.take(try await registry.perform(Claim(row.input, for: owner, cause)))
    }
}
