#if canImport(SwiftUI)
public import SwiftUI

/// The texts of the views that `OnboardingTexts` does not have, in English. For another language or other words,
/// change the members, and pass the texts with `.environment(\.signInTexts, texts)`.
public struct SignInTexts: Sendable {
    /// Beside the progress of a request.
    public var waiting = "One moment…"
    /// The title of the welcome.
    public var welcome = "Welcome"
    /// The sentence below that title.
    public var welcomeText = "Sign in, and choose your handle."

    // Signing in.
    /// The title and the button of the form with a password, and the button after a session has ended.
    public var signIn = "Sign in"
    /// The title and the buttons of a new account.
    public var signUp = "Create an account"
    /// The label of the field for a name that is not an e-mail address.
    public var username = "Name"
    /// The label of the field for the e-mail address.
    public var email = "E-mail"
    /// The label of the field for the password.
    public var password = "Password"
    /// The button that asks for a new password.
    public var forgotPassword = "Forgot your password?"
    /// Does not say whether the address is known.
    public var resetSent = "If there is an account with this address, a message with the next steps is on its way."
    /// The button that opens the issuer's page.
    public var browser = "Sign in with the browser"

    // A session that can't be used now.
    /// The title while the stored session can't be used, such as without a connection.
    public var unknown = "Not signed in yet"
    /// The button that repeats the restore.
    public var tryAgain = "Try again"
    /// The title while the device's owner has not unlocked the session.
    public var locked = "Locked"
    /// The button that asks the device's owner again.
    public var unlock = "Unlock"
    /// The button that gives up the stored session.
    public var signOut = "Sign out"

    // The titles of the onboarding.
    /// The title of the first step.
    public var handle = "Choose a handle"
    /// The title of the second step.
    public var displayName = "Choose a name"

    /// The texts in English.
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
