import FoundationEssentials
import Glibc

/// The folder of a private PostgreSQL. Only its owner may enter it: another user could lock its files or read its key.
enum DataFolder {
    /// Creates the folder, or makes sure that other users have no access to an existing one.
    /// - Returns: its absolute path.
    /// - Throws: ``EmbeddedPostgresError`` `.noAccess`, which says what to change.
    static func prepare(_ folder: String) throws(EmbeddedPostgresError) -> String {
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw EmbeddedPostgresError(.noAccess, cannot("make the data folder", folder))
        }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, let resolved = realpath(folder, nil) else {
            throw EmbeddedPostgresError(.noAccess, cannot("open the data folder", folder))
        }
        defer {
            free(resolved)
            close(descriptor)
        }
        let path = String(cString: resolved)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw EmbeddedPostgresError(.noAccess, cannot("look at the data folder", path))
        }
        guard status.st_uid == geteuid() else {
            throw EmbeddedPostgresError(
                .noAccess,
                "the data folder \(path) belongs to \(userName(status.st_uid)); run this as that user, or give it a folder of "
                    + "its own with HANDLES_DATA")
        }
        if status.st_mode & 0o077 != 0 { try shutOthersOut(path, descriptor, mode: status.st_mode & 0o777) }
        return path
    }

    /// Removes the access of other users from a folder that is only a data folder, or an empty one.
    private static func shutOthersOut(
        _ path: String, _ descriptor: Int32, mode: mode_t
    ) throws(EmbeddedPostgresError) {
        guard isOurs(path) else {
            throw EmbeddedPostgresError(
                .noAccess,
                "other users may enter the data folder \(path) (mode \(String(mode, radix: 8))), and it has other files; "
                    + "give HANDLES_DATA a folder of its own, or run: chmod 700 '\(path)'")
        }
        guard fchmod(descriptor, 0o700) == 0 else {
            throw EmbeddedPostgresError(.noAccess, cannot("close to other users the data folder", path))
        }
    }

    /// Whether a folder has the lock file of a private PostgreSQL, or only files that one creates.
    private static func isOurs(_ path: String) -> Bool {
        let names = entries(of: path)
        let ours = ["postgres", "postgres.new", "service.lock", "start.lock", "use.lock", "admin-key"]
        return names.contains("use.lock") || names.allSatisfy(ours.contains)
    }

    private static func userName(_ id: uid_t) -> String {
        getpwuid(id).map { "the user '\(String(cString: $0.pointee.pw_name))'" } ?? "the user \(id)"
    }
}

/// The names in a folder; empty when it can't be read.
func entries(of folder: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }
