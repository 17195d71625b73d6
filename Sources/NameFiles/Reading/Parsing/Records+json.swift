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

    /// Parses the elements of a JSON array, each with the comma or the bracket after it.
    mutating func parseElements(_ base: UnsafeMutablePointer<UInt8>, _ end: Int, _ layout: Layout) {
        let bytes = ByteSearch(base)
        var scanner = BorderScanner(.array)
        var (start, line, counted) = (0, 0, 0)
        var members: [JSONLine.Member] = []
        while !scanner.hasEnded {
            while start < end, bytes[start].isBlank { start += 1 }
            guard start < end, bytes[start] != UInt8(ascii: "]") else { break }
            line += bytes.lineEnds(from: counted, to: start, returns: false)
            counted = start
            lines.append(Int32(truncatingIfNeeded: line))
            for column in cells.indices { cells[column].append(.absent) }
            let border = scanner.scan(bytes, to: end, for: .first)
            let stop = border.map { $0 - 1 } ?? end
            let fault: RecordFault? =
                if stop - start > layout.longestRecord {
                    .tooLong(bytes: stop - start)
                } else if border == nil {
                    // Every element has a comma or the bracket after it.
                    .cut
                } else {
                    parseElement(JSONLine(base, end: stop), start, count, layout, &members)
                }
            if let fault { faults.append((count, fault)) }
            count += 1
            start = border ?? end
        }
    }

    /// Parses an element: an object, or a string, which is the first field.
    private mutating func parseElement(
        _ line: JSONLine, _ start: Int, _ record: Int, _ layout: Layout, _ members: inout [JSONLine.Member]
    ) -> RecordFault? {
        guard let value = line.value(from: start) else { return .notJSON }
        switch value.kind {
        case .object: return parseObject(line, start, record, layout, &members)
        case .string:
            cells[0][record] = Cell(start: value.start, count: value.end - value.start)
            unescape(line, record)
            return layout.paths.dropFirst().first { !$0.isOptional }.map { .noSuchField($0.text) }
        default: return .notText("", value.kind)
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
                    fault = fault ?? .noSuchField(path.text)
                    continue
                }
                guard path.has(value, of: line) else {
                    fault = fault ?? .notText(path.text, value.kind)
                    continue
                }
                cells[column][record] = Cell(start: value.start, count: value.end - value.start)
            } catch {
                fault = fault ?? .repeatedField(path.text)
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

extension Layout.Path {
    /// Whether the field may have this value.
    fileprivate func has(_ value: JSONLine.Value, of line: JSONLine) -> Bool {
        switch values {
        case .texts: value.kind == .string
        case .ids: value.kind == .string || line.isInteger(value)
        case .all: true
        }
    }
}
