/// The way in which a JSON text holds its records.
enum JSONShape: Hashable {
    /// One object a line.
    case lines
    /// As elements of an array, which may be in a member of an object. The first element begins after `prefix` bytes.
    case array(prefix: Int, member: String?)

    /// - Parameters:
    ///   - text: the beginning of the file.
    ///   - isWhole: whether this is all of the file.
    ///   - isLast: whether no more bytes are examined.
    /// - Returns: nil when more bytes are needed.
    static func find(in text: ArraySlice<UInt8>, isWhole: Bool, isLast: Bool) -> JSONShape? {
        let start = text.drop(while: \.isBlank)
        guard let first = start.first else { return isLast ? .lines : nil }
        if first == UInt8(ascii: "[") { return .array(prefix: start.startIndex + 1 - text.startIndex, member: nil) }
        guard first == UInt8(ascii: "{") else { return .lines }
        let line = start.prefix { $0 != ByteSearch.lineFeed }
        guard line.endIndex < text.endIndex || isLast else { return nil }
        let rest = start[line.endIndex...].drop(while: \.isBlank)
        if let fields = JSONLine.fields(of: line) {
            // The only object of a file has the list, if it has one, and not a name.
            guard isWhole, rest.isEmpty, !fields.contains(where: \.isName) else { return .lines }
        }
        var lists = Lists()
        switch member(of: start, from: text.startIndex, &lists) {
        case .found(let shape): return shape
        case .noObject: return .lines
        // Of several lists without usual names, none is guessed.
        case .end: return lists.named ?? (lists.others.count == 1 ? lists.others[0] : .lines)
        case .incomplete: return isLast ? lists.named ?? lists.others.first ?? .lines : nil
        }
    }

    /// Arrays of an object that may be the list of names.
    private struct Lists {
        /// The first one of objects with a usual name that others have too, such as `name`.
        var named: JSONShape?
        /// Those of other objects or of strings.
        var others: [JSONShape] = []
    }

    private enum Search {
        case found(JSONShape), end, incomplete, noObject
    }

    /// The first member of an object that is an array of objects with a name that only a list of names has.
    /// - Parameter lists: gets the other arrays before it.
    private static func member(of object: ArraySlice<UInt8>, from start: Int, _ lists: inout Lists) -> Search {
        Chunk(object).search { bytes in
            let end = object.count
            var position = 1
            func skipBlanks() { while position < end, bytes[position].isBlank { position += 1 } }
            while true {
                skipBlanks()
                guard position < end else { return .incomplete }
                guard bytes[position] == ByteSearch.quote else { return .noObject }
                let key = position + 1
                position = key
                while position < end, bytes[position] != ByteSearch.quote {
                    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                let name = String(decoding: object.dropFirst(key).prefix(max(0, position - key)), as: UTF8.self)
                position += 1
                skipBlanks()
                guard position < end else { return .incomplete }
                guard bytes[position] == UInt8(ascii: ":") else { return .noObject }
                position += 1
                skipBlanks()
                if position < end, bytes[position] == UInt8(ascii: "[") {
                    let elements = object.dropFirst(position + 1).drop(while: \.isBlank)
                    let shape = JSONShape.array(prefix: object.startIndex - start + position + 1, member: name)
                    var scanner = BorderScanner(.array)
                    let border = Chunk(elements).search { scanner.scan($0, to: elements.count, for: .first) }
                    let fields = border.flatMap { JSONLine.fields(of: elements.prefix($0 - 1)) }
                    if fields?.contains(where: \.isCertainName) == true { return .found(shape) }
                    if fields?.contains(where: \.isName) == true {
                        lists.named = lists.named ?? shape
                    } else if [UInt8(ascii: "{"), ByteSearch.quote].contains(elements.first) {
                        lists.others.append(shape)
                    }
                }
                // A member ends where an element of an array would.
                var scanner = BorderScanner(.array, from: position)
                guard let border = scanner.scan(bytes, to: end, for: .first) else { return .incomplete }
                if scanner.hasEnded { return .end }
                position = border
            }
        }
    }
}

extension JSONShape {
    /// The records by which the fields are found.
    static let mostRecords = 20

    /// The first records, as far as they are complete, each without the comma or bracket after it.
    /// - Parameter isWhole: whether `text` is all of the file, so that its last record is complete.
    func firstRecords(of text: ArraySlice<UInt8>, isWhole: Bool) -> [ArraySlice<UInt8>] {
        var records: [ArraySlice<UInt8>] = []
        guard case .array(let prefix, _) = self else {
            var rest = text.drop(while: \.isBlank)
            while records.count < Self.mostRecords, !rest.isEmpty || records.isEmpty {
                records.append(rest.prefix { $0 != ByteSearch.lineFeed })
                rest = rest[records[records.count - 1].endIndex...].drop(while: \.isBlank)
            }
            return records
        }
        var rest = text.dropFirst(prefix)
        var hasEnded = false
        while records.count < Self.mostRecords, !hasEnded {
            rest = rest.drop(while: \.isBlank)
            var scanner = BorderScanner(.array)
            let end = Chunk(rest).search { scanner.scan($0, to: rest.count, for: .first) }
            guard let end = end ?? (isWhole ? rest.count + 1 : nil) else { break }
            records.append(rest.prefix(end - 1))
            rest = rest.dropFirst(end)
            hasEnded = scanner.hasEnded || rest.isEmpty
        }
        return records
    }
}

extension JSONLine {
    /// The fields that objects have, each once: as a text, if one of them has it so.
    static func fields(of records: [ArraySlice<UInt8>]) -> [Field] {
        var fields: [Field] = []
        for field in records.flatMap({ Self.fields(of: $0) ?? [] }) {
            if let known = fields.firstIndex(where: { $0.keys == field.keys }) {
                if field.kind == .string { fields[known] = field }
            } else {
                fields.append(field)
            }
        }
        return fields
    }
}

extension JSONLine.Field {
    /// Whether this is a text with a usual name of the handles, in the object or in one in it.
    fileprivate var isName: Bool {
        kind == .string && HeaderWord.handle.contains(HeaderWord.key(keys[keys.count - 1]))
    }

    /// Whether this is one that hardly anything but an account has.
    fileprivate var isCertainName: Bool {
        kind == .string && HeaderWord.certain.contains(HeaderWord.key(keys[keys.count - 1]))
    }
}
