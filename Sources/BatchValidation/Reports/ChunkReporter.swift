import HandleCore
import HandleRegistry

/// What is to be written of a chunk.
struct ChunkReport: Sendable {
    var valid: [UInt8] = []
    var refused: [UInt8] = []
    var counts = Counts()
    /// Whether the last row is the one at which to stop.
    var ends = false
}

/// Writes the rows of chunks as CSV or JSON. Chunks may be written at the same time.
struct ChunkReporter: Sendable {
    let style: ReportStyle
    let words: ReservedWords
    let policy: Policy
    /// Whether to stop at the first row that is refused.
    let stopsAtRefused: Bool
    /// What a reserved word is called in CSV, one after the other, and where each ends.
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

    /// The bytes of the longest of ``putWordCode(_:to:)``.
    var longestWordCode: Int { wordCodes.longest }

    /// Writes what a reserved word is called as a reason.
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
        for row in judged.rows.indices {
            let verdict = judged.rowVerdict(row, words, policy)
            verdicts.append(verdict)
            report.counts.note(verdict, judged.rows[row].duplicate)
            if verdict == .unreadable { report.counts.note(judged.fault(row)) }
            if stopsAtRefused, verdict != .valid {
                report.ends = true
                break
            }
        }
        switch style.format {
        case .csv: writeCSV(judged, verdicts, &report)
        case .json: writeJSON(judged, verdicts, &report)
        }
        return report
    }
}

extension JudgedChunk {
    /// What becomes of a row.
    @inline(__always)
    func rowVerdict(_ index: Int, _ words: ReservedWords, _ policy: Policy) -> RowVerdict {
        let row = rows[index]
        // Where nothing is known against a name there is nothing to decide.
        if row.kind != .plain || !row.broken.isEmpty || row.place >= 0 || row.finding >= 0 {
            switch verdict(index, words, policy)?.status {
            case nil: return .unreadable
            case .invalid: return .invalid
            case .unavailable: return .unavailable
            case .available: break
            }
        }
        if row.duplicate.isSameHandle { return .duplicate }
        return row.duplicate == .lookalike && policy.lookalikes == .strict ? .duplicate : .valid
    }
}
