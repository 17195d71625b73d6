public import Foundation
public import Sessions

/// Stores the session in a file that only its user can read, for systems without a keychain.
///
/// The file has mode 0600, in a folder of its own with mode 0700. A save writes a new file, syncs it to disk and
/// renames it, so a killed program leaves the old or the new version, whole. Programs that share the folder share the
/// session: `tryLock` lets only one of them refresh it at a time.
///
/// ```swift
/// let session = SessionController(storage: FileStorage(folder: folder), backend: backend)
/// ```
public struct FileStorage: SessionStorage {
    /// Much more than tokens need: a larger file is not a session.
    static let longest = 1 << 20

    private let folder: URL
    private let name: String

    /// - Parameters:
    ///   - folder: for sessions alone. It is created if missing, and gets mode 0700 if it is more open.
    ///   - name: one file for each session, such as one for each account; letters, digits, `-` and `_`.
    public init(folder: URL, name: String = "session") {
        precondition(
            !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") },
            "the name of a session's file has letters, digits, - and _ only, not \"\(name)\"")
        self.folder = folder
        self.name = name
    }

    public func load() throws(SessionError) -> Data? {
        let path = path(of: "")
        guard let file = try OpenFile.reading(path) else { return nil }
        return try file.contents(atMost: Self.longest)
    }

    public func save(_ data: Data) throws(SessionError) {
        try alone(.notSaved) { () throws(SessionError) in try replace(with: data) }
    }

    public func exchange(_ old: Data, for new: Data) throws(SessionError) -> Bool {
        try alone(.notSaved) { () throws(SessionError) in
            guard try load() == old else { return false }
            try replace(with: new)
            return true
        }
    }

    public func clear() throws(SessionError) {
        guard try FolderOfSessions.exists(folder.path) else { return }
        try alone(.notCleared) { () throws(SessionError) in
            try OpenFile.remove(path(of: ""))
            // Left by a program that was killed during a save; it contains the newest tokens.
            try OpenFile.remove(path(of: ".new"))
            try OpenFile.sync(folder: folder.path, or: .notCleared)
        }
    }

    public func tryLock() throws(SessionError) -> StorageLock? {
        try FolderOfSessions.prepare(folder.path, or: .notLocked)
        guard let file = try OpenFile.locked(path(of: ".lock"), or: .notLocked) else { return nil }
        return StorageLock { file.close() }
    }

    private func path(of suffix: String) -> String { folder.appendingPathComponent(name + suffix).path }

    /// Runs `work` under the write lock. This is not the refresh lock, which is held during a request.
    private func alone<Value>(
        _ kind: SessionError.Code, _ work: () throws(SessionError) -> Value
    ) throws(SessionError) -> Value {
        try FolderOfSessions.prepare(folder.path, or: kind)
        let path = path(of: ".write-lock")
        // 400 × 5 ms: a write takes a few milliseconds, two seconds on a very busy disk.
        for _ in 0..<400 {
            if let lock = try OpenFile.locked(path, or: kind) {
                defer { lock.close() }
                return try work()
            }
            Thread.sleep(forTimeInterval: 0.005)
        }
        throw SessionError(kind, "\(path) has been locked by another program for two seconds; end that program")
    }

    private func replace(with data: Data) throws(SessionError) {
        let temporary = path(of: ".new")
        // Left by a program that was killed during a save. The write lock is held, so no other program writes now.
        try OpenFile.remove(temporary, or: .notSaved)
        let file = try OpenFile.creating(temporary)
        do throws(SessionError) {
            try file.write(data)
            file.close()
            try OpenFile.rename(temporary, to: path(of: ""))
        } catch {
            file.close()
            try? OpenFile.remove(temporary)
            throw error
        }
        // Every program reads the new version now, so the save has succeeded even if the folder can't be synced.
        try? OpenFile.sync(folder: folder.path, or: .notSaved)
    }
}
