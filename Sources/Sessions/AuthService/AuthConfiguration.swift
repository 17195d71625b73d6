/// The settings of an ``AuthService``, each with a default.
public struct AuthConfiguration: Sendable {
    /// The settings of the service's ``SessionController``. Its clock also measures ``timeout``.
    public var session = SessionController.Configuration()
    /// The maximum time of a session after the sign-in, or after its restore; nil for no limit.
    public var timeout: Duration?
    /// Authenticates the device's owner, such as with Face ID, before a stored session is used. If it throws, the session
    /// stays stored, and `session` is `.failure`.
    public var unlock: (@Sendable () async throws -> Void)?
    /// Run in order after each sign-out, even if one fails.
    public var logOutSteps: [LogoutStep] = []
    /// Called with each event of the session. Events contain no secrets.
    public var audit: @MainActor @Sendable (AuthEvent) -> Void = { _ in }

    /// The settings with their default values.
    public init() {}
}
