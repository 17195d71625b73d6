public import Observation

/// A form with a name and a password. Its button is enabled while `canSubmit` is true.
///
/// It leaves `attemptingLogin` however the attempt ends, so the button never stays disabled.
///
/// ```swift
/// let form = SignInForm { try await auth.signIn(email: $0, password: $1) }
/// (form.username, form.password) = ("jane@example.com", password)
/// await form.attemptLogin()
/// if let error = form.error { print(error.localizedDescription) }
/// ```
@Observable @MainActor public final class SignInForm {
    /// The state of the form, which decides what a view shows.
    public enum State: Sendable, Hashable {
        /// The name is empty.
        case awaitingUsername
        /// The name is typed, and the password is empty.
        case awaitingPassword
        /// Both are typed, and no attempt has failed since the last edit.
        case canAttemptLogin
        /// An attempt is running.
        case attemptingLogin
        /// Until the person edits a field.
        case failedLogin
    }

    /// The typed name; an edit clears ``error``.
    public var username = "" { didSet { if username != oldValue { edited() } } }
    /// The typed password; an edit clears ``error``, and a successful sign-in clears the password.
    public var password = "" { didSet { if password != oldValue { edited() } } }
    /// The error of the last attempt; nil after an edit.
    public private(set) var error: (any Error)?
    private var isAttempting = false

    private let logIn: @MainActor (_ username: String, _ password: String) async throws -> Void

    /// - Parameter logIn: signs in; its error is shown as ``error``.
    public init(logIn: @escaping @MainActor (_ username: String, _ password: String) async throws -> Void) {
        self.logIn = logIn
    }

    /// Derived from the fields, the running attempt and ``error``.
    public var state: State {
        if isAttempting { return .attemptingLogin }
        if error != nil { return .failedLogin }
        if username.isEmpty { return .awaitingUsername }
        if password.isEmpty { return .awaitingPassword }
        return .canAttemptLogin
    }

    /// Whether an attempt is possible, including a new one after a failure.
    public var canSubmit: Bool { !isAttempting && !username.isEmpty && !password.isEmpty }

    /// Tries to sign in with the typed name and password. Does nothing while an attempt is running or a field is empty.
    public func attemptLogin() async {
        guard canSubmit else { return }
        isAttempting = true
        error = nil
        defer { isAttempting = false }
        do {
            try await logIn(username, password)
            password = ""
            error = nil
        } catch {
            self.error = error
        }
    }

    private func edited() { error = nil }
}

extension SignInForm: CustomReflectable {
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
