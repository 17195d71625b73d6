public import Observation

/// A form with a name and a password. Its button is enabled while `canSubmit` is true.
///
/// It leaves `attemptingLogin` however the attempt ends, so the button never stays disabled.
@Observable @MainActor public final class SignInForm {
    public enum State: Sendable, Hashable {
        case awaitingUsername
        case awaitingPassword
        case canAttemptLogin
        case attemptingLogin
        /// Until the person edits a field.
        case failedLogin
    }

    public var username = "" { didSet { if username != oldValue { edited() } } }
    public var password = "" { didSet { if password != oldValue { edited() } } }
    /// The error of the last attempt; nil after an edit.
    public private(set) var error: (any Error)?
    private var isAttempting = false

    private let logIn: @MainActor (_ username: String, _ password: String) async throws -> Void

    /// - Parameter logIn: signs in; its error is shown as ``error``.
    public init(logIn: @escaping @MainActor (_ username: String, _ password: String) async throws -> Void) {
        self.logIn = logIn
    }

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
