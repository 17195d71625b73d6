import Glibc

/// A file in the folder of the server's user.
///
/// When this process is root, that user may have put a link in the place of the file. Root must not follow it: the content
/// of a file that only root can read would get into a message or, written back, into a file of that user.
enum ServerFile {
    private static let mostBytes = 1 << 16

    /// The content of a file; nil when there is none.
    /// - Parameter user: the server's user; nil for that of this process.
    /// - Throws: ``EmbeddedPostgresError`` `.noAccess` for a link, and for anything else that is not a file that the user
    ///   may read itself.
    static func text(of path: String, readableBy user: ServerUser?) throws(EmbeddedPostgresError) -> String? {
        // O_NONBLOCK: a FIFO would never answer.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 || errno == ELOOP else { throw EmbeddedPostgresError(.noAccess, cannot("read", path)) }
        defer { close(descriptor) }
        var status = stat()
        // A hard link keeps the owner and the mode of its file.
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == user?.userID ?? geteuid() || status.st_mode & S_IROTH != 0, status.st_size <= mostBytes
        else {
            throw EmbeddedPostgresError(
                .noAccess,
                "\(path) must be a file of \(user.map { "the user \($0.name)" } ?? "this user"), not a link, with at most "
                    + "\(mostBytes) bytes; find out what changed it, and replace it by such a file")
        }
        var bytes = [UInt8](repeating: 0, count: mostBytes)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw EmbeddedPostgresError(.noAccess, cannot("read", path)) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
