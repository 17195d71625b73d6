import Glibc
import NameFiles

/// Destinations of the reports on a file.
struct ReportFiles {
    /// The report of valid rows, if it is a separate one.
    let valid: OutputFile?
    let refused: OutputFile
    let style: ReportStyle.Valid

    /// - Parameters:
    ///   - output: a folder, which is created if it ends in `/` and does not exist; a file; nil for the standard
    ///     output.
    init(input: String, output: String?, isJSON: Bool) throws {
        guard let output else {
            (valid, refused, style) = (nil, OutputFile(), isJSON ? .together : .left)
            return
        }
        guard output.hasSuffix("/") || Self.isFolder(output) else {
            (valid, style) = (nil, isJSON ? .together : .left)
            refused = try OutputFile(path: output, input: input)
            return
        }
        if !Self.isFolder(output), mkdir(output, 0o755) != 0 {
            throw CommandFault(.cannotWrite, "can't make the folder \(output): \(String(cString: strerror(errno)))")
        }
        let base = (output.hasSuffix("/") ? output : output + "/") + Self.name(of: input)
        let suffix = isJSON ? "ndjson" : "csv"
        valid = try OutputFile(path: "\(base).valid.\(suffix)", input: input)
        refused = try OutputFile(path: "\(base).refused.\(suffix)", input: input)
        style = .apart
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The file's name without its folder, `.gz` and extension.
    static func name(of input: String) -> String {
        guard input != "-", let file = input.split(separator: "/").last else { return "stdin" }
        var name = Substring(file)
        if name.hasSuffix(".gz") { name = name.dropLast(3) }
        if let dot = name.lastIndex(of: "."), dot > name.startIndex { name = name[..<dot] }
        return String(name)
    }
}
