extension Records {
    /// Parses records of fields, as in CSV. A record is one line, unless it has line ends in quotes.
    mutating func parseFields(
        _ base: UnsafeMutablePointer<UInt8>, _ end: Int, _ layout: Layout, _ separator: UInt8, isCut: Bool
    ) {
        var scanner = FieldScanner(base, end, separator)
        let targets = layout.targets
        var record = 0
        while scanner.position < end {
            let start = scanner.position
            let breaksBefore = scanner.breaks
            if !lines.isEmpty { lines.append(Int32(truncatingIfNeeded: record + breaksBefore)) }
            var fields = 0
            if !scanner.skipLineEnd() {
                var more = true
                repeat {
                    let cell = scanner.next(&more)
                    if fields < targets.count, targets[fields] >= 0 { cells[targets[fields]][record] = cell }
                    fields += 1
                } while more
            }
            if fields < targets.count {
                for target in targets[fields...] where target >= 0 { cells[target][record] = .absent }
            }
            for copy in layout.copies { cells[copy.to][record] = cells[copy.from][record] }
            if scanner.breaks > breaksBefore, lines.isEmpty {
                lines.append(contentsOf: (0...record).lazy.map(Int32.init))
            }
            let bytes = scanner.stop - start
            let isCut = isCut && scanner.stop == end
            if bytes > layout.longestRecord || isCut || scanner.isUnclosed || fields == 0 || fields != layout.fields {
                note(record, layout, fields: fields, bytes: bytes, isCut: isCut, isUnclosed: scanner.isUnclosed)
            }
            record += 1
        }
        resize(to: record)
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
