/// The way in which a JSON text holds its records.
enum JSONShape: Hashable {
    /// One object a line.
    case lines
    /// As elements of an array, which may be in a member of an object. The first element begins after `prefix` bytes.
    case array(prefix: Int, member: String?)

    /// - Parameters:
    ///   - text: the beginning of the file.
    ///   - isWhole: whether this is all of the file.
    /// - Returns: nil when more bytes are needed.
    static func find(in text: ArraySlice<UInt8>, isWhole: Bool) -> JSONShape? {
        let start = text.drop(while: \.isBlank)
        guard let first = start.first else { return isWhole ? .lines : nil }
        if first == UInt8(ascii: "[") { return .array(prefix: start.startIndex + 1 - text.startIndex, member: nil) }
        guard first == UInt8(ascii: "{") else { return .lines }
        let line = start.prefix { $0 != ByteSearch.lineFeed }
        guard line.endIndex < text.endIndex || isWhole else { return nil }
        let rest = start[line.endIndex...].drop(while: \.isBlank)
        if let fields = JSONLine.fields(of: line) {
            // The only object of a file has the list, if it has one, and not a name.
            let hasName = fields.contains {
                $0.kind == .string && $0.keys.count == 1 && HeaderWord.handle.contains(HeaderWord.key($0.keys[0]))
            }
            guard isWhole, rest.isEmpty, !hasName else { return .lines }
        }
        return member(of: start, from: text.startIndex, isWhole: isWhole)
    }

    /// The first member of an object that is an array of objects or strings.
    private static func member(
        of object: ArraySlice<UInt8>, from start: Int, isWhole: Bool
    ) -> JSONShape? {
        Chunk(object).search { bytes in
            let end = object.count
            var position = 1
            func skipBlanks() { while position < end, bytes[position].isBlank { position += 1 } }
            while true {
                skipBlanks()
                guard position < end else { return isWhole ? .lines : nil }
                guard bytes[position] == ByteSearch.quote else { return .lines }
                let key = position + 1
                position = key
                while position < end, bytes[position] != ByteSearch.quote {
                    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                let name = String(decoding: object.dropFirst(key).prefix(max(0, position - key)), as: UTF8.self)
                position += 1
                skipBlanks()
                guard position < end else { return isWhole ? .lines : nil }
                guard bytes[position] == UInt8(ascii: ":") else { return .lines }
                position += 1
                skipBlanks()
                if position < end, bytes[position] == UInt8(ascii: "[") {
                    let prefix = object.startIndex - start + position + 1
                    let first = object.dropFirst(position + 1).drop(while: \.isBlank).first
                    if first == UInt8(ascii: "{") || first == ByteSearch.quote {
                        return .array(prefix: prefix, member: name)
                    }
                }
                // A member ends where an element of an array would.
                var scanner = BorderScanner(.array, from: position)
                guard let border = scanner.scan(bytes, to: end, for: .first) else { return isWhole ? .lines : nil }
                if scanner.hasEnded { return .lines }
                position = border
            }
        }
    }
}
