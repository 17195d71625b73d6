public import HandleClient
public import Sessions

/// The settings of an ``AuthStateManager``, each with a default.
public struct OnboardingConfiguration: Sendable {
    /// The settings of the session. Its clock also measures the pauses of the onboarding.
    public var auth = AuthConfiguration()
    /// Sends the requests to the registry.
    public var transport: any Transport = URLSessionTransport()
    /// The person's id for the tokens of a sign-in; by default the subject of the identity token.
    public var userID: @Sendable (AuthTokens) async throws -> String = { tokens in
        guard let subject = tokens.subject else { throw OnboardingError.noSubject }
        return subject
    }
    /// Shows the system's sheet of Sign in with Apple. The sheet's request gets the hash of the nonce. `useAppleSheet()`
    /// of `OnboardingViews` sets it.
    public var appleSheet: (@MainActor @Sendable (AppleNonce) async throws -> AppleCredential)?
    /// The texts for people, for another language or other words.
    public var texts = OnboardingTexts()

    /// The settings with their default values.
    public init() {}
}
