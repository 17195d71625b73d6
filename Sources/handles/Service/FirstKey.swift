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
    init?(_ settings: Settings) throws {
        if let key = settings.adminKey {
            self.init(text: key, isOurs: false)
        } else if settings.databaseURL == nil {
            self.init(text: try Self.kept(in: settings.data), isOurs: true)
        } else {
            return nil
        }
    }

    private init(text: String, isOurs: Bool) {
        self.text = text
        self.isOurs = isOurs
    }

    /// Path of a generated key.
    static func file(in folder: String) -> String { "\(folder)/admin-key" }

    private static func kept(in folder: String) throws -> String {
        let path = file(in: folder)
        if access(path, F_OK) == 0 { return try TextFile.read(path).trimmed }
        let key = AccessKey.random().text
        // Written to a temporary file and then linked, so that the key file is always complete and never overwritten.
        // Only this user can read it.
        let draft = "\(path).\(getpid())"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw cannotWrite(draft) }
        defer { close(descriptor) }
        let line = Array("\(key)\n".utf8)
        guard line.writeAll(to: descriptor), fsync(descriptor) == 0 else {
            throw cannotWrite(path)
        }
        defer { unlink(draft) }
        if link(draft, path) != 0 {
            guard errno == EEXIST else { throw cannotWrite(path) }
            return try TextFile.read(path).trimmed
        }
        return key
    }

    private static func cannotWrite(_ path: String) -> CommandFault {
        CommandFault(.cannotWrite, "can't write \(path): \(String(cString: strerror(errno)))")
    }
}
