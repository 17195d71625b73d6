extension Records {
    /// Parses lines that are JSON objects.
    mutating func parseObjects(_ base: UnsafeMutablePointer<UInt8>, _ end: Int, _ layout: Layout, isCut: Bool) {
        let bytes = ByteSearch(base)
        var start = 0
        var members: [JSONLine.Member] = []
        for record in 0..<count {
            let stop = bytes.first(ByteSearch.lineFeed, from: start, to: end)
            let length = bytes.lineCount(from: start, to: stop, of: end)
            if length > layout.longestRecord {
                faults.append((record, .tooLong(bytes: length)))
            } else if let fault = parseObject(JSONLine(base, end: stop), start, record, layout, &members) {
                faults.append((record, isCut && stop == end ? .cut : fault))
            } else if isCut, stop == end {
                faults.append((record, .cut))
            }
            start = stop + 1
        }
    }

    /// Parses the fields of one object.
    /// - Returns: its fault; with several columns, that of the first faulty one.
    private mutating func parseObject(
        _ line: JSONLine, _ start: Int, _ record: Int, _ layout: Layout, _ members: inout [JSONLine.Member]
    ) -> RecordFault? {
        members.removeAll(keepingCapacity: true)
        switch line.object(from: start, into: &members) {
        case .blank: return .empty
        case .malformed: return .notJSON
        case .object: break
        }
        let topLevel = members.indices
        var fault: RecordFault?
        for (column, path) in layout.paths.enumerated() {
            do throws(JSONLine.RepeatedKey) {
                let value = try line.value(at: path.keys[...], in: topLevel, of: &members)
                if path.isOptional, value == nil || value?.kind == .null { continue }
                guard let value else {
                    fault = fault ?? .noSuchField
                    continue
                }
                guard value.kind == .string || path.hasIDs && line.isInteger(value) else {
                    fault = fault ?? .notText(value.kind)
                    continue
                }
                cells[column][record] = Cell(start: value.start, count: value.end - value.start)
            } catch {
                fault = fault ?? .repeatedField
            }
        }
        unescape(line, record)
        return fault
    }

    /// Resolves the escapes. This comes last, because every path is looked up in the object as it was written.
    private mutating func unescape(_ line: JSONLine, _ record: Int) {
        for column in cells.indices {
            guard let range = cells[column][record].range else { continue }
            // A field that was chosen twice is unescaped once.
            if let earlier = cells[..<column].first(where: {
                $0[record].start == range.lowerBound && $0[record].count >= 0
            }) {
                cells[column][record] = earlier[record]
            } else {
                cells[column][record].count = Int32(truncatingIfNeeded: line.unescape(range))
            }
        }
    }
}
