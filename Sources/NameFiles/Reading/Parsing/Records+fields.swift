extension Records {
    /// Parses records of fields, as in CSV. A record is one line, unless it has line ends in quotes.
    mutating func parseFields(
        _ base: UnsafeMutablePointer<UInt8>, _ end: Int, _ layout: Layout, _ separator: UInt8, isCut: Bool
    ) {
        var scanner = FieldScanner(base, end, separator)
        let columns = layout.columns
        var fields: [Cell] = []
        var record = 0
        while scanner.position < end {
            let start = scanner.position
            let breaksBefore = scanner.breaks
            if !lines.isEmpty { lines.append(Int32(truncatingIfNeeded: record + breaksBefore)) }
            fields.removeAll(keepingCapacity: true)
            if !scanner.skipLineEnd() {
                var more = true
                repeat { fields.append(scanner.next(&more)) } while more
            }
            for column in columns.indices where fields.indices.contains(columns[column]) {
                cells[column][record] = fields[columns[column]]
            }
            if scanner.breaks > breaksBefore, lines.isEmpty {
                lines.append(contentsOf: (0...record).lazy.map(Int32.init))
            }
            let bytes = scanner.stop - start
            let isCut = isCut && scanner.stop == end
            if bytes > layout.longestRecord || isCut || scanner.isUnclosed || fields.isEmpty
                || fields.count != layout.fields
            {
                note(record, layout, fields: fields.count, bytes: bytes, isCut: isCut, isUnclosed: scanner.isUnclosed)
            }
            record += 1
        }
        count = record
    }

    /// Notes the fault of a record that has one.
    private mutating func note(
        _ record: Int, _ layout: Layout, fields: Int, bytes: Int, isCut: Bool, isUnclosed: Bool
    ) {
        if bytes > layout.longestRecord {
            setAbsent(record)
            faults.append((record, .tooLong(bytes: bytes)))
        } else if isCut {
            faults.append((record, .cut))
        } else if isUnclosed {
            faults.append((record, .unclosedQuote))
        } else if fields == 0 {
            faults.append((record, .empty))
        } else if fields != layout.fields {
            faults.append((record, .ragged(fields: fields, expected: layout.fields)))
        }
    }
}
