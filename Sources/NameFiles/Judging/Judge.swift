import HandleRegistry
import HandleRules
import HandleWords

/// Checks the names of a chunk against the rules of form and the reserved words. Chunks can be judged in parallel.
struct Judge: Sendable {
    let layout: Layout
    let words: ReservedWords
    let fingerprinter: Fingerprinter

    init(layout: Layout, words: ReservedWords) {
        var random = SystemRandomNumberGenerator()
        self.layout = layout
        self.words = words
        fingerprinter = Fingerprinter(using: &random)
    }

    func judge(_ chunk: Chunk) -> JudgedChunk {
        let records = Records(chunk, layout)
        var judged = JudgedChunk(records, words)
        records.bytes.withUnsafeBufferPointer { bytes in
            records.cells[0].withUnsafeBufferPointer { cells in
                judged.rows.withUnsafeMutableBufferPointer { rows in
                    for index in rows.indices {
                        let fault = records.isFaultless ? nil : records.fault(index)
                        if let name = cells[index].range, fault == nil {
                            read(UnsafeBufferPointer(rebasing: bytes[name]), &rows[index], &judged.readings)
                            take(&rows[index], index, &judged.names)
                        } else {
                            rows[index].kind = fault == .empty ? .blank : .unreadable
                        }
                    }
                }
            }
        }
        return judged
    }

    @inline(__always)
    private func read(_ name: UnsafeBufferPointer<UInt8>, _ row: inout Row, _ readings: inout [Reading]) {
        if let reading = PlainReading(ascii: name) {
            row.take(reading.letters, reading.length, reading.broken)
        } else {
            take(unusual: name, &row, &readings)
        }
    }

    /// Adds the reserved word of a name to its row, and the fingerprint of a well-formed name to `names`.
    @inline(__always)
    private func take(_ row: inout Row, _ index: Int, _ names: inout [IndexedName]) {
        if row.letters.isEmpty { return }
        let handle = row.letters.lowercased
        let (place, key) = words.find(handle)
        row.place = Int32(truncatingIfNeeded: place ?? -1)
        guard row.broken.isEmpty else { return }
        names.append(
            IndexedName(
                row: Int32(truncatingIfNeeded: index),
                fingerprint: fingerprinter.fingerprint(row.letters, handle: handle, key: key)))
    }

    /// Reads a name that is not plain: with characters besides letters, digits and underscores.
    private func take(unusual name: UnsafeBufferPointer<UInt8>, _ row: inout Row, _ readings: inout [Reading]) {
        guard let reading = Reading(typed: name) else {
            row.kind = .unreadable
            return
        }
        row.take(reading.spelling ?? PackedASCII(), reading.length, reading.broken)
        // Normalising can turn other characters, such as full-width letters, into plain ones. The empty spelling of
        // pure white space is excluded: it must not be read again as ASCII.
        if let spelling = reading.spelling, !spelling.isEmpty { return }
        row.kind = .unusual
        row.place = Int32(truncatingIfNeeded: readings.count)
        readings.append(reading)
    }
}

/// The fingerprint of a well-formed name, with its row.
struct IndexedName: Sendable {
    let row: Int32
    let fingerprint: Fingerprint
}

extension Row {
    @inline(__always)
    fileprivate mutating func take(_ letters: PackedASCII, _ length: Int, _ broken: Reading.Form) {
        self.letters = letters
        self.length = Int32(truncatingIfNeeded: length)
        self.broken = broken
    }
}
