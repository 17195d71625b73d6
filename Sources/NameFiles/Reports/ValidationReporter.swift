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
    /// The CSV reasons of all reserved words, one after the other, and the end of each.
    private let wordCodes: (bytes: [UInt8], ends: [Int], longest: Int)

    init(style: ReportStyle, words: ReservedWords, policy: Policy, stopsAtRefused: Bool) {
        self.style = style
        self.words = words
        self.policy = policy
        self.stopsAtRefused = stopsAtRefused
        var codes: (bytes: [UInt8], ends: [Int], longest: Int) = ([], [], 0)
        for place in 0..<words.count {
            let start = codes.bytes.count
            CSVReason.write(.reservedWord(words[place]), to: &codes.bytes)
            codes.ends.append(codes.bytes.count)
            codes.longest = max(codes.longest, codes.bytes.count - start)
        }
        wordCodes = codes
    }

    /// Bytes of the longest text that ``putWordCode(_:to:)`` writes.
    var longestWordCode: Int { wordCodes.longest }

    /// Writes the CSV reason of a reserved word.
    @inline(__always)
    func putWordCode(_ word: Int, to cursor: inout Cursor) {
        wordCodes.bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            let begin = word == 0 ? 0 : wordCodes.ends[word - 1]
            cursor.put(start + begin, wordCodes.ends[word] - begin)
        }
    }

    func report(_ judged: JudgedChunk) -> ChunkReport {
        var report = ChunkReport()
        var verdicts: [RowVerdict] = []
        verdicts.reserveCapacity(judged.rows.count)
        // Nearly all rows are valid and no duplicate. They are counted in a register.
        var plain = 0
        for row in judged.rows.indices {
            let verdict = judged.rowVerdict(row, policy)
            verdicts.append(verdict)
            if verdict == .valid, judged.rows[row].duplicate == .none {
                plain += 1
                continue
            }
            report.counts.note(verdict, judged.rows[row].duplicate)
            if verdict == .unreadable { report.counts.note(judged.fault(row)) }
            if stopsAtRefused, verdict != .valid {
                report.ends = true
                break
            }
        }
        report.counts.note(.valid, .none, rows: plain)
        switch style.format {
        case .csv: writeCSV(judged, verdicts, &report)
        case .json: writeJSON(judged, verdicts, &report)
        }
        return report
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
