import Foundation

/// The folder in which FoundationNetworking keeps the cookies of this program.
///
/// FoundationNetworking writes each file anew with mode 0644, so the folder is closed to other users, and stays so. Apple's systems
/// protect theirs themselves.
enum CookieFolder {
    #if canImport(FoundationNetworking)
    /// Its name is that of the folder that the program is in, without an extension.
    static var path: String? {
        let data = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        let folder = (Bundle.main.bundlePath as NSString).lastPathComponent as NSString
        return data?.appendingPathComponent(folder.deletingPathExtension).path
    }

    /// Makes the folder if it is missing, and lets no other user into it. An error leaves it as it is: the session works then too.
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
