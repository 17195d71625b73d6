/// A part of logging out that belongs to the app, such as clearing a cache. All steps run in order, even if one fails.
public struct LogoutStep: Sendable {
    /// Named in the audit log when the step fails.
    public let name: String
    let run: @Sendable () async throws -> Void

    public init(_ name: String, run: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.run = run
    }
}
