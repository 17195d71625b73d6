import HandleRegistry
import HandleRules
import HandleWords

/// Writes the rows of chunks as CSV or JSON. Chunks can be written in parallel.
struct ValidationReporter: Sendable {
    let style: ReportStyle
    let columns: ReportColumns
    let words: ReservedWords
    let policy: Policy
    /// Whether to stop at the first refused row.
    let stopsAtRefused: Bool

    /// Bytes of most rows.
    private static let usualRow = 64

    /// The first line of the reports.
    var header: [UInt8] { style.format == .csv ? columns.header : [] }

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
                if style.hasExamples { report.examples.add(row, verdict, of: judged, policy) }
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
            write(row, verdict, decided, judged, to: &report.valid) { _ in }
        } else {
            write(row, verdict, decided, judged, to: &report.rows) { bytes in
                guard verdict != .valid, verdict != .unreadable, !judged.input(row).allSatisfy(\.isBlank) else {
                    return
                }
                let record = judged.record(row)
                report.wanted.append(
                    WantedRepair(
                        name: judged.input(row), seed: UInt64(record), record: record, place: bytes.count))
            }
        }
    }

    /// - Parameter noteRepair: called where the repair comes in, if rows have one.
    private func write(
        _ row: Int, _ verdict: RowVerdict, _ decided: Decision?, _ judged: JudgedChunk, to bytes: inout [UInt8],
        noteRepair: ([UInt8]) -> Void
    ) {
        switch style.format {
        case .csv:
            writeCSV(row, verdict, decided, judged, to: &bytes)
            if style.hasRepairs {
                bytes.append(UInt8(ascii: ","))
                noteRepair(bytes)
            }
            if !columns.carried.isEmpty {
                columns.append(columns.fields(row, of: judged), to: &bytes, isRaw: style.isRaw)
            }
        case .json:
            var result = RowResult(row, of: judged)
            if let decided { result.refuse(verdict, decided.reasons) } else { result.refuse(judged.fault(row)) }
            var json = JSONWriter()
            json.object { json in
                result.writeCommon(verdict.code, to: &json)
                columns.write(columns.fields(row, of: judged), to: &json)
            }
            bytes += json.bytes.dropLast()
            if style.hasRepairs { noteRepair(bytes) }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The text of a repair, for its place in the row.
    func text(of repair: DisplayHandle) -> [UInt8] {
        style.format == .csv ? Array("\(repair)".utf8) : Array(",\"repair\":\"\(repair)\"".utf8)
    }
}

/// A row that waits for its repair.
struct WantedRepair: Sendable {
    let name: ArraySlice<UInt8>
    /// Chooses among the candidates, so that rows with the same name get different ones.
    let seed: UInt64
    /// The number of the row in the file.
    let record: Int
    /// The place in the report where the repair comes in.
    var place = 0
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
