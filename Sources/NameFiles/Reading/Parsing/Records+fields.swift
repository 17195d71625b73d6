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
            if bytes > layout.longestRecord || isCut || scanner.isUnclosed || fields.count != layout.fields
                || mayBeBlank(cells[0][record], base)
            {
                note(record, layout, base, fields, bytes: bytes, isCut: isCut, isUnclosed: scanner.isUnclosed)
            }
            record += 1
        }
        count = record
    }

    @inline(__always)
    private func mayBeBlank(_ name: Cell, _ base: UnsafePointer<UInt8>) -> Bool {
        name.count <= 0 || base[Int(name.start)].isBlank
    }

    /// Notes the fault of a record that has one.
    private mutating func note(
        _ record: Int, _ layout: Layout, _ base: UnsafePointer<UInt8>, _ fields: [Cell], bytes: Int, isCut: Bool,
        isUnclosed: Bool
    ) {
        func areBlank(_ fields: ArraySlice<Cell>) -> Bool {
            fields.allSatisfy { $0.range?.allSatisfy { base[$0].isBlank } ?? true }
        }
        if bytes > layout.longestRecord {
            setAbsent(record)
            faults.append((record, .tooLong(bytes: bytes)))
        } else if isCut {
            faults.append((record, .cut))
        } else if isUnclosed {
            faults.append((record, .unclosedQuote))
        } else if areBlank(fields[...]) {
            faults.append((record, .empty))
        } else if fields.count < layout.fields || !areBlank(fields[layout.fields...]) {
            // Separators at the end of a record, after which nothing comes, are no fault.
            faults.append((record, .ragged(fields: fields.count, expected: layout.fields)))
        }
    }
}
