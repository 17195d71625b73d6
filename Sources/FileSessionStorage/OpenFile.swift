#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Foundation
import HTTPLoading
import Sessions

/// An open file of a session. Every error names the file and the reason.
final class OpenFile: Sendable {
    private let path: String
    private let descriptor: Int32
    /// A descriptor must be closed only once: afterwards its number may belong to another file.
    private let isClosed = Locked(false)

    private init(_ path: String, _ descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close() }

    /// - Returns: nil when there is no such file.
    static func reading(_ path: String) throws(SessionError) -> OpenFile? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0 {
            let code = errno
            // ENOTDIR does not mean absent: the path of the folder is a file.
            if code == ENOENT { return nil }
            throw SessionError(.storeUnreadable, "can't read \(path): \(reason(code))")
        }
        let file = OpenFile(path, descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw SessionError(.storeUnreadable, "can't read \(path): \(reason(errno))")
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw SessionError(
                .storeUnreadable, "\(path) is not a file of this user; remove it, or choose another folder")
        }
        return file
    }

    /// Creates a file with mode 0600; throws when it exists.
    static func creating(_ path: String) throws(SessionError) -> OpenFile {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SessionError(.notSaved, "can't make \(path): \(reason(errno))") }
        return OpenFile(path, descriptor)
    }

    /// Opens or creates an empty file and locks it until it is closed. The file is never removed: after a removal, two
    /// programs could hold locks on two files of the same name.
    /// - Returns: nil while another holder has the lock.
    static func locked(_ path: String, or kind: SessionError.Code) throws(SessionError) -> OpenFile? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SessionError(kind, "can't open \(path): \(reason(errno))") }
        let file = OpenFile(path, descriptor)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EWOULDBLOCK { return nil }
            guard code == EINTR else { throw SessionError(kind, "can't lock \(path): \(reason(code))") }
        }
        return file
    }

    func contents(atMost limit: Int) throws(SessionError) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return data }
            if count < 0 {
                if errno == EINTR { continue }
                throw SessionError(.storeUnreadable, "can't read \(path): \(reason(errno))")
            }
            data.append(contentsOf: buffer[..<count])
            guard data.count <= limit else {
                throw SessionError(.storeUnreadable, "\(path) is larger than any session; remove it")
            }
        }
    }

    /// Writes all of it and syncs it to disk.
    func write(_ data: Data) throws(SessionError) {
        var rest = Array(data)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count < 0 {
                if errno == EINTR { continue }
                throw SessionError(.notSaved, "can't write \(path): \(reason(errno))")
            }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else {
            throw SessionError(.notSaved, "can't write \(path): \(reason(errno))")
        }
    }

    func close() {
        isClosed.withValue { isClosed in
            if !isClosed { closeDescriptor(descriptor) }
            isClosed = true
        }
    }

    static func remove(_ path: String, or kind: SessionError.Code = .notCleared) throws(SessionError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw SessionError(kind, "can't remove \(path): \(reason(errno))")
        }
    }

    static func rename(_ path: String, to target: String) throws(SessionError) {
        guard renameFile(path, target) == 0 else {
            throw SessionError(.notSaved, "can't rename \(path): \(reason(errno))")
        }
    }

    /// Syncs the folder's directory entries to disk.
    static func sync(folder: String, or kind: SessionError.Code) throws(SessionError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SessionError(kind, "can't open \(folder): \(reason(errno))") }
        defer { closeDescriptor(descriptor) }
        guard fsync(descriptor) == 0 else { throw SessionError(kind, "can't write \(folder): \(reason(errno))") }
    }
}

/// The folder in which sessions are stored.
enum FolderOfSessions {
    /// Creates the folder with mode 0700. An existing folder gets mode 0700.
    static func prepare(_ path: String, or kind: SessionError.Code) throws(SessionError) {
        if try !exists(path, or: kind) {
            do {
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            } catch {
                throw SessionError(kind, "can't make the folder above \(path): \(error.localizedDescription)")
            }
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw SessionError(kind, "can't make the folder \(path): \(reason(errno))")
            }
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SessionError(kind, "can't open \(path): \(reason(errno))") }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            throw SessionError(kind, "\(path) is not a folder of this user; choose another one")
        }
        guard status.st_mode & 0o777 != 0o700 else { return }
        guard chmod(path, 0o700) == 0 else {
            throw SessionError(kind, "\(path) is open to others, and chmod 700 failed: \(reason(errno))")
        }
    }

    static func exists(_ path: String, or kind: SessionError.Code = .notCleared) throws(SessionError) -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return true }
        guard errno == ENOENT else { throw SessionError(kind, "can't open \(path): \(reason(errno))") }
        return false
    }
}

private func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

// The C functions. Inside `OpenFile` these names would mean its own methods.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
private func renameFile(_ path: String, _ target: String) -> Int32 { rename(path, target) }
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
