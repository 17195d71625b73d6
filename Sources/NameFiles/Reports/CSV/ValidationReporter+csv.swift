import HandleRegistry
import HandleRules

extension ValidationReporter {
    /// Writes a judged row as CSV, without the line end.
    /// - Parameter decided: the decision about an invalid or unavailable name.
    @inline(__always)
    func writeCSV(
        _ index: Int, _ verdict: RowVerdict, _ decided: Decision?, _ judged: JudgedChunk, to bytes: inout [UInt8]
    ) {
        let row = judged.rows[index]
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Cursor.room) { room in
            guard let start = room.baseAddress else { return }
            var text = Cursor(start)
            text.put(judged.line(index))
            text.put(comma)
            text.put(judged.record(index))
            text.put(comma)
            if !row.letters.isEmpty, judged.records.cells[0][index].count == row.length {
                text.put(row.letters)
            } else {
                text.move(to: &bytes)
                CSVText.append(judged.input(index), to: &bytes, isRaw: style.isRaw)
            }
            text.put(comma)
            if row.broken.isEmpty { text.put(row.letters.lowercased) }
            text.put(comma)
            if row.broken.isEmpty { text.put(row.letters) }
            text.put(comma)
            text.put(text: verdict.code)
            text.put(comma)
            if verdict == .unreadable || decided != nil { text.move(to: &bytes) }
            if verdict == .unreadable { bytes += judged.fault(index).numberedCode.utf8 }
            if let decided { CSVReason.write(to: &bytes, decided.forEachReason) }
            text.put(comma)
            text.put(text: row.duplicate.code)
            text.put(comma)
            if row.duplicate != .none { text.put(row.firstLine) }
            text.move(to: &bytes)
        }
    }
}

private let comma = UInt8(ascii: ",")
