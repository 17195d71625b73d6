import HandleRegistry
import HandleRules

extension ValidationReporter {
    /// Room for a row without escapes and without the reserved word: three numbers, the names, a verdict, the reasons
    /// that a plain name can have, and a kind of duplicate.
    private static let roomForRow = 256
    /// Rows with longer names are written by the slower path.
    private static let longestSimple = 64

    /// Writes the judged rows as CSV.
    func writeCSV(_ judged: JudgedChunk, _ verdicts: [RowVerdict], _ report: inout ChunkReport) {
        // Rows of unbounded length are written first, so that the total size is known.
        var others: (bytes: [UInt8], ends: [Int]) = ([], [])
        for row in verdicts.indices where writes(verdicts[row]) && !isSimple(row, verdicts[row], judged) {
            write(row, verdicts[row], judged, &report.counts, to: &others.bytes)
            others.ends.append(others.bytes.count)
        }
        let validRows = style.valid == .apart ? report.counts[.valid] : 0
        let refusedRows = verdicts.count - report.counts[.valid]
        let room = others.bytes.count + PackedASCII.capacity + 1
        report.valid = Self.uninitialised(validRows * Self.roomForRow + room)
        report.rows = Self.uninitialised(refusedRows * (Self.roomForRow + longestWordCode) + room)
        let used = report.valid.withUnsafeMutableBufferPointer { valid in
            report.rows.withUnsafeMutableBufferPointer { refused in
                guard let valid = valid.baseAddress, let refused = refused.baseAddress else { return (0, 0) }
                var (toValid, toRefused) = (Cursor(valid), Cursor(refused))
                var other = 0
                for row in verdicts.indices where writes(verdicts[row]) {
                    let isValid = verdicts[row] == .valid
                    if !isSimple(row, verdicts[row], judged) {
                        let text = others.bytes[(other == 0 ? 0 : others.ends[other - 1])..<others.ends[other]]
                        if isValid { toValid.put(text) } else { toRefused.put(text) }
                        other += 1
                    } else if !isValid {
                        writeSimple(row, verdicts[row], judged, &report.counts, to: &toRefused)
                    } else {
                        writeSimple(row, nil, judged, &report.counts, to: &toValid)
                    }
                }
                return (toValid.place - valid, toRefused.place - refused)
            }
        }
        report.valid.removeLast(report.valid.count - used.0)
        report.rows.removeLast(report.rows.count - used.1)
    }

    private func writes(_ verdict: RowVerdict) -> Bool { verdict != .valid || style.valid == .apart }

    private static func uninitialised(_ capacity: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: capacity) { _, count in count = capacity }
    }

    /// Whether the fast path can write the row: a short plain name, nothing around it, not known to the registry, and
    /// no repair to be written.
    @inline(__always)
    private func isSimple(_ index: Int, _ verdict: RowVerdict, _ judged: JudgedChunk) -> Bool {
        if style.hasRepairs, verdict != .valid { return false }
        let row = judged.rows[index]
        return row.kind == .plain && judged.records.cells[0][index].count == row.length
            && row.length <= Self.longestSimple
            && row.known < 0
    }

    /// - Parameter verdict: the verdict of a refused row; nil for a valid row.
    @inline(__always)
    private func writeSimple(
        _ index: Int, _ verdict: RowVerdict?, _ judged: JudgedChunk, _ counts: inout Counts, to cursor: inout Cursor
    ) {
        let row = judged.rows[index]
        cursor.put(judged.line(index))
        cursor.put(comma)
        cursor.put(judged.record(index))
        cursor.put(comma)
        if row.letters.isEmpty { cursor.put(judged.input(index)) } else { cursor.put(row.letters) }
        cursor.put(comma)
        if row.broken.isEmpty {
            cursor.put(row.letters.lowercased)
            cursor.put(comma)
            cursor.put(row.letters)
        } else {
            cursor.put(comma)
        }
        cursor.put(comma)
        if let verdict {
            cursor.put(text: verdict.code)
            cursor.put(comma)
            if verdict != .duplicate { writeReasons(row, &counts, to: &cursor) }
            cursor.put(comma)
        }
        if row.duplicate == .none {
            cursor.put(comma)
        } else {
            cursor.put(text: row.duplicate.code)
            cursor.put(comma)
            cursor.put(row.firstLine)
        }
        cursor.put(UInt8(ascii: "\n"))
    }

    /// The same output as ``CSVReason``, written in place.
    @inline(__always)
    private func writeReasons(_ row: Row, _ counts: inout Counts, to cursor: inout Cursor) {
        var isFirst = true
        func begin(_ code: Reason.Code, _ cursor: inout Cursor) {
            if !isFirst { cursor.put(semicolon) }
            isFirst = false
            counts.note(code)
        }
        if row.broken.contains(.tooShort) {
            begin(.tooShort, &cursor)
            cursor.put(text: "too_short:")
            cursor.put(Int(row.length))
        }
        if row.broken.contains(.tooLong) {
            begin(.tooLong, &cursor)
            cursor.put(text: "too_long:")
            cursor.put(Int(row.length))
        }
        if row.broken.contains(.leadingUnderscore) {
            begin(.leadingUnderscore, &cursor)
            cursor.put(text: "leading_underscore")
        }
        if row.broken.contains(.allDigits) {
            begin(.allDigits, &cursor)
            cursor.put(text: "all_digits")
        }
        if let word = row.word {
            begin(.reservedWord, &cursor)
            putWordCode(word, to: &cursor)
        }
    }

    /// The slower path, for any row.
    private func write(
        _ index: Int, _ verdict: RowVerdict, _ judged: JudgedChunk, _ counts: inout Counts, to bytes: inout [UInt8]
    ) {
        guard style.hasRepairs, verdict != .valid else {
            writeText(index, verdict, judged, &counts, to: &bytes)
            return bytes.append(UInt8(ascii: "\n"))
        }
        var text: [UInt8] = []
        writeText(index, verdict, judged, &counts, to: &text)
        Spool.append(text, wanted: verdict == .unreadable ? nil : judged.input(index), to: &bytes)
    }

    private func writeText(
        _ index: Int, _ verdict: RowVerdict, _ judged: JudgedChunk, _ counts: inout Counts, to bytes: inout [UInt8]
    ) {
        let row = judged.rows[index]
        let decided = judged.decision(index, policy)
        bytes.add(judged.line(index))
        bytes.append(comma)
        bytes.add(judged.record(index))
        bytes.append(comma)
        CSVText.append(judged.input(index), to: &bytes, isRaw: style.isRaw)
        bytes.append(comma)
        if let display = decided?.reading.display {
            bytes.add(display.handle.letters)
            bytes.append(comma)
            bytes.add(display.letters)
        } else {
            bytes.append(comma)
        }
        bytes.append(comma)
        if verdict != .valid {
            bytes.add(text: verdict.code)
            bytes.append(comma)
            if let decided {
                CSVReason.write(decided, to: &bytes, counts: &counts)
            } else {
                bytes.append(contentsOf: judged.fault(index).code.utf8)
            }
            bytes.append(comma)
        }
        if row.duplicate == .none {
            bytes.append(comma)
        } else {
            bytes.add(text: row.duplicate.code)
            bytes.append(comma)
            bytes.add(row.firstLine)
        }
    }
}

private let comma = UInt8(ascii: ",")
private let semicolon = UInt8(ascii: ";")
