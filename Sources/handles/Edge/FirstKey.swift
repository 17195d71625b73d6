import Glibc
import HandleRegistry

/// The key that writes are made with, until there are others.
struct FirstKey: Sendable {
    let text: String
    /// Whether the program made it up itself, and so must tell it.
    let isOurs: Bool

    /// The configured key, or else one of our own that is kept in the data folder; nil when there is neither, because
    /// the database is not ours. To be called by the one service that works on the folder.
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

    /// Where a key of our own is kept.
    static func file(in folder: String) -> String { "\(folder)/admin-key" }

    private static func kept(in folder: String) throws -> String {
        let path = file(in: folder)
        if access(path, F_OK) == 0 { return try TextFile.read(path).trimmed }
        let key = AccessKey.random().text
        // Written beside its place and linked there whole, never over another; readable by this user only.
        let draft = "\(path).\(getpid())"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw cannotWrite(draft) }
        defer { close(descriptor) }
        let line = Array("\(key)\n".utf8)
        guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
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
