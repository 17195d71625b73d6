#if canImport(SwiftUI)
public import SwiftUI

/// The texts of the views that ``OnboardingTexts`` does not have, in English. For another language or other words,
/// change the members, and pass the texts with `.environment(\.signInTexts, texts)`.
public struct SignInTexts: Sendable {
    public var waiting = "One moment…"
    public var welcome = "Welcome"
    public var welcomeText = "Sign in, and choose your handle."

    // Signing in.
    public var signIn = "Sign in"
    public var signUp = "Create an account"
    public var email = "E-mail"
    public var password = "Password"
    public var forgotPassword = "Forgot your password?"
    /// Does not say whether the address is known.
    public var resetSent = "If there is an account with this address, a message with the next steps is on its way."
    public var browser = "Sign in with the browser"

    // A session that can't be used now.
    public var unknown = "Not signed in yet"
    public var tryAgain = "Try again"
    public var locked = "Locked"
    public var unlock = "Unlock"
    public var signOut = "Sign out"

    // The titles of the onboarding.
    public var handle = "Choose a handle"
    public var displayName = "Choose a name"

    public init() {}
}

private struct SignInTextsKey: EnvironmentKey {
    static let defaultValue = SignInTexts()
}

extension EnvironmentValues {
    /// The texts of the views for signing in.
    public var signInTexts: SignInTexts {
        get { self[SignInTextsKey.self] }
        set { self[SignInTextsKey.self] = newValue }
    }
}
#endif
