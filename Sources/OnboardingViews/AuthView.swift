#if canImport(SwiftUI)
import Foundation
import Onboarding
import Sessions
public import SwiftUI

/// Signing in with e-mail and password, and with further buttons. It needs the `AuthStateManager` in the environment.
///
/// ```swift
/// AuthGuardView { profile in Text("@\(profile.displayHandle)") } welcome: { AuthView() }
/// ```
public struct AuthView<Buttons: View>: View {
    @Environment(AuthStateManager.self) private var manager
    private let allowsSignUp: Bool
    private let allowsReset: Bool
    private let buttons: Buttons

    /// - Parameters:
    ///   - allowsSignUp: whether a person can create an account here. Its user name is the e-mail address.
    ///   - allowsReset: whether a person can ask for a new password.
    ///   - buttons: further ways to sign in. Show only those that the app's backend supports.
    public init(allowsSignUp: Bool = true, allowsReset: Bool = true, @ViewBuilder buttons: () -> Buttons) {
        self.allowsSignUp = allowsSignUp
        self.allowsReset = allowsReset
        self.buttons = buttons()
    }

    public var body: some View {
        NavigationStack {
            AuthForm(auth: manager.auth, allowsSignUp: allowsSignUp, allowsReset: allowsReset, buttons: buttons)
        }
    }
}

extension AuthView where Buttons == AppleSignInButton {
    /// With Sign in with Apple.
    public init(allowsSignUp: Bool = true, allowsReset: Bool = true) {
        self.init(allowsSignUp: allowsSignUp, allowsReset: allowsReset) { AppleSignInButton() }
    }
}

/// The form of ``AuthView``, which owns the models of its parts.
private struct AuthForm<Buttons: View>: View {
    @Environment(\.signInTexts) private var texts
    @State private var signIn: SignInForm
    @State private var signUp: SignInForm
    private let allowsSignUp: Bool
    private let allowsReset: Bool
    private let buttons: Buttons
    private let resetPassword: @MainActor (String) async throws -> Void

    init<Profile>(auth: AuthService<Profile>, allowsSignUp: Bool, allowsReset: Bool, buttons: Buttons) {
        _signIn = State(initialValue: SignInForm { try await auth.signIn(email: $0, password: $1) })
        _signUp = State(
            initialValue: SignInForm { try await auth.signUp(email: $0, password: $1, username: $0) })
        self.allowsSignUp = allowsSignUp
        self.allowsReset = allowsReset
        self.buttons = buttons
        resetPassword = { try await auth.resetPassword(email: $0) }
    }

    var body: some View {
        Form {
            SignInRows(form: signIn, isEmail: true)
            if allowsReset { ResetRows(email: signIn.username, reset: resetPassword) }
            if allowsSignUp {
                NavigationLink(texts.signUp) {
                    Form { SignInRows(form: signUp, isEmail: true, isNew: true) }
                        .navigationTitle(texts.signUp)
                }
            }
            Section { buttons }
        }
        .navigationTitle(texts.signIn)
    }
}
#endif
