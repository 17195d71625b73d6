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
        var others: [JSONShape] = []
        switch member(of: start, from: text.startIndex, &others) {
        case .found(let shape): return shape
        case .noObject: return .lines
        // Of several lists without usual names, none is guessed.
        case .end: return others.count == 1 ? others[0] : .lines
        case .incomplete: return isLast ? others.first ?? .lines : nil
        }
    }

    private enum Search {
        case found(JSONShape), end, incomplete, noObject
    }

    /// The first member of an object that is an array of objects with a name.
    /// - Parameter others: gets the other arrays of objects or strings before it.
    private static func member(
        of object: ArraySlice<UInt8>, from start: Int, _ others: inout [JSONShape]
    ) -> Search {
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
                    if fields?.contains(where: \.isName) == true { return .found(shape) }
                    if [UInt8(ascii: "{"), ByteSearch.quote].contains(elements.first) { others.append(shape) }
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

extension JSONLine.Field {
    /// Whether this is a text with a usual name of the handles, in the object or in one in it.
    fileprivate var isName: Bool {
        kind == .string && HeaderWord.handle.contains(HeaderWord.key(keys[keys.count - 1]))
    }
}
