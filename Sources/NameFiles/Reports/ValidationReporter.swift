import HandleRegistry
import HandleRules
import HandleWords

/// Writes the rows of chunks as CSV or JSON. Chunks can be written in parallel.
struct ValidationReporter: Sendable {
    let style: ReportStyle
    let words: ReservedWords
    let policy: Policy
    /// Whether to stop at the first refused row.
    let stopsAtRefused: Bool

    /// Bytes of most rows.
    private static let usualRow = 64

    func report(_ judged: JudgedChunk) -> ChunkReport {
        var report = ChunkReport()
        if style.valid == .apart { report.valid.reserveCapacity(judged.rows.count * Self.usualRow) }
        // Nearly all rows are valid and no duplicate. They are counted in a register.
        var plain = 0
        for row in judged.rows.indices {
            guard judged.rows[row].kind != .blank else {
                report.counts.blank += 1
                continue
            }
            let verdict = judged.rowVerdict(row, policy)
            if verdict == .valid, judged.rows[row].duplicate == .none {
                plain += 1
            } else {
                report.counts.note(verdict, judged.rows[row].duplicate)
            }
            if verdict != .valid || style.valid != .left { write(row, verdict, judged, to: &report) }
            if stopsAtRefused, verdict != .valid {
                report.ends = true
                break
            }
        }
        report.counts.note(.valid, .none, rows: plain)
        return report
    }

    private func write(_ row: Int, _ verdict: RowVerdict, _ judged: JudgedChunk, to report: inout ChunkReport) {
        if verdict == .unreadable { report.counts.note(judged.fault(row)) }
        let isRefused = verdict == .invalid || verdict == .unavailable
        let decided = isRefused || style.format == .json ? judged.decision(row, policy) : nil
        decided?.forEachReason { report.counts.note($0.code) }
        if verdict == .valid, style.valid == .apart {
            write(row, verdict, decided, judged, to: &report.valid)
            report.valid.add(text: style.rowEnd)
        } else if style.hasRepairs {
            // The end of the row follows the repair.
            var text: [UInt8] = []
            write(row, verdict, decided, judged, to: &text)
            let wantsRepair =
                verdict != .valid && verdict != .unreadable && !judged.input(row).allSatisfy(\.isBlank)
            Spool.append(text, wanted: wantsRepair ? judged.input(row) : nil, to: &report.rows)
        } else {
            write(row, verdict, decided, judged, to: &report.rows)
            report.rows.add(text: style.rowEnd)
        }
    }

    /// Writes a row without its end.
    private func write(
        _ row: Int, _ verdict: RowVerdict, _ decided: Decision?, _ judged: JudgedChunk, to bytes: inout [UInt8]
    ) {
        switch style.format {
        case .csv: writeCSV(row, verdict, decided, judged, to: &bytes)
        case .json: writeJSON(row, verdict, decided, judged, to: &bytes)
        }
    }
}

extension JudgedChunk {
    /// The verdict in the report.
    @inline(__always)
    func rowVerdict(_ index: Int, _ policy: Policy) -> RowVerdict {
        let row = rows[index]
        if row.kind == .unreadable { return .unreadable }
        if !row.broken.isEmpty { return .invalid }
        // Without a row in the registry, only a reserved word is in the way.
        if row.known < 0 ? row.word != nil : decision(index, policy)?.isAvailable == false { return .unavailable }
        if row.duplicate.isSameHandle { return .duplicate }
        return row.duplicate == .lookalike && policy.lookalikes == .strict ? .duplicate : .valid
    }
}
