import Foundation

/// A part of logging out that belongs to the app, such as clearing a cache. All steps run in order, even if one fails.
public struct LogoutStep: Sendable {
    /// Named in the audit log when the step fails.
    public let name: String
    let run: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - name: for the audit log.
    ///   - run: does the work. If it throws, the other steps still run.
    public init(_ name: String, run: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.run = run
    }
}

extension LogoutStep {
    /// Removes all user defaults of the app.
    public static let appDefaults = LogoutStep("app defaults") {
        let defaults = UserDefaults.standard
        // Also lists keys of other domains, which stay.
        for key in defaults.dictionaryRepresentation().keys { defaults.removeObject(forKey: key) }
        _ = defaults.synchronize()
    }
}
