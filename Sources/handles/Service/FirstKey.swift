import Glibc
import HandleRegistry
import NameFiles

/// The first access key, with which writes are possible before other keys exist.
struct FirstKey: Sendable {
    let text: String
    /// Whether the program made the key itself, so that it must show the key.
    let isOurs: Bool

    /// The configured key, or a generated one in the data folder if the database is the private PostgreSQL; otherwise
    /// nil. Only one service at a time may call this for a data folder.
    static func of(_ settings: Settings) throws -> FirstKey? {
        if let key = settings.adminKey { return FirstKey(text: key, isOurs: false) }
        return settings.databaseURL == nil ? FirstKey(text: try kept(in: settings.data), isOurs: true) : nil
    }

    /// Path of a generated key.
    static func file(in folder: String) -> String { "\(folder)/admin-key" }

    private static func kept(in folder: String) throws -> String {
        let path = file(in: folder)
        if access(path, F_OK) == 0 { return try TextFile.read(path).trimmed }
        let key = AccessKey.random().text
        // Written to a temporary file and then renamed, so that the key file is always complete. Only this user can read
        // it.
        let draft = "\(path).\(getpid())"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw cannotWrite(draft) }
        defer {
            close(descriptor)
            unlink(draft)
        }
        let line = Array("\(key)\n".utf8)
        guard line.writeAll(to: descriptor), fsync(descriptor) == 0, rename(draft, path) == 0 else {
            throw cannotWrite(path)
        }
        return key
    }

    private static func cannotWrite(_ path: String) -> CommandFault {
        CommandFault(.cannotWrite, "can't write \(path): \(String(cString: strerror(errno)))")
    }
}
