import Glibc

/// A folder with a Unix socket in it, under a path that is short enough for one.
///
/// The path of a socket has at most 107 bytes. A folder with a longer path is opened and reached by its descriptor,
/// which stays open as long as this object.
final class SocketFolder: Sendable {
    let path: String
    private let descriptor: Int32?

    private static let longestPath = 107 - "/.s.PGSQL.5432".utf8.count

    init(_ folder: String) throws(EmbeddedPostgresError) {
        if folder.utf8.count <= Self.longestPath {
            path = folder
            descriptor = nil
        } else {
            let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard opened >= 0 else { throw EmbeddedPostgresError(.noAccess, cannot("open", folder)) }
            path = "/proc/self/fd/\(opened)"
            descriptor = opened
        }
    }

    deinit { if let descriptor { close(descriptor) } }
}
