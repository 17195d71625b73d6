import Foundation

/// The folder in which FoundationNetworking stores the cookies of this program.
///
/// FoundationNetworking writes each file with mode 0644, so the folder is closed to other users. Apple's systems
/// protect their own storage.
enum CookieFolder {
    #if canImport(FoundationNetworking)
    /// Named after the folder that the program is in, without an extension.
    static var path: String? {
        let data = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        let folder = (Bundle.main.bundlePath as NSString).lastPathComponent as NSString
        return data?.appendingPathComponent(folder.deletingPathExtension).path
    }

    /// Creates the folder if it is missing, and denies other users access. On an error it stays as it is: the session
    /// still works.
    static func restrict() {
        guard let path else { return }
        try? FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        if mkdir(path, 0o700) != 0 { chmod(path, 0o700) }
    }
    #else
    static func restrict() {}
    #endif
}
