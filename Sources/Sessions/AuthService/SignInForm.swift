public import Observation

/// A form with a name and a password. Its button is enabled while `canSubmit` is true.
///
/// It leaves `attemptingLogin` whichever way the attempt ends, so the button never stays disabled.
@Observable @MainActor public final class SignInForm {
    public enum State: Sendable, Hashable {
        case awaitingUsername
        case awaitingPassword
        case canAttemptLogin
        case attemptingLogin
        /// Until the person changes something.
        case failedLogin
    }

    public var username = "" { didSet { if username != oldValue { edited() } } }
    public var password = "" { didSet { if password != oldValue { edited() } } }
    /// Why the last attempt failed; nil once something has changed.
    public private(set) var error: (any Error)?
    private var isAttempting = false

    private let logIn: @MainActor (_ username: String, _ password: String) async throws -> Void

    /// - Parameter logIn: signs in; an error of it is shown as ``error``.
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

    /// Whether an attempt may be made: also again after one that failed.
    public var canSubmit: Bool { !isAttempting && !username.isEmpty && !password.isEmpty }

    /// Tries to sign in with the typed name and password. Nothing happens while an attempt is under way or something is missing.
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
