import NameFiles

/// Small input files of commands; `-` is the standard input.
enum TextFile {
    private static let chunkSize = 64 * 1024
    /// Maximum size after decompression; a compressed file can grow a thousandfold.
    private static let longest = 16 << 20

    /// The name of a file in messages.
    static func name(of path: String) -> String { path == "-" ? "the input" : path }

    /// The content of a file, without a byte order mark.
    /// - Parameter isList: whether the file is to be a list of words, and other formats are named.
    static func read(_ path: String, isList: Bool = false) throws -> String {
        let source = try ByteSource(path: path)
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkSize)
        while true {
            let count = try chunk.withUnsafeMutableBytes { try source.read(into: $0) }
            if count == 0 { break }
            text += chunk[..<count]
            guard text.count <= longest else {
                throw CommandFault(
                    .unreadableData, "\(name(of: path)) has more than \(longest >> 20) MiB, which is too much here")
            }
        }
        if isList, let foreign = ForeignFormat(text[...], isText: true) {
            throw CommandFault(.unreadableData, "\(source.name) is \(foreign.kind): \(foreign.remedy)")
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard let decoded = String(validating: text.dropFirst(text.starts(with: mark) ? 3 : 0), as: UTF8.self) else {
            throw CommandFault(.unreadableData, "\(name(of: path)) is not UTF-8")
        }
        return decoded
    }
}
