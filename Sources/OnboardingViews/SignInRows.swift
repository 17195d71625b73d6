#if canImport(SwiftUI)
import Foundation
public import Sessions
public import SwiftUI

/// The fields of a `SignInForm` with its error and its button, as a section of a form. The texts are those of the
/// environment.
///
/// ```swift
/// let session = try CookieSession(name: "session_id", base: forum)
/// let form = SignInForm { try await session.logIn(form: ["name": $0, "password": $1], at: "login") }
/// Form { SignInRows(form: form) }
/// ```
public struct SignInRows: View {
    private enum Field { case name, password }

    @Environment(\.signInTexts) private var texts
    @FocusState private var focus: Field?
    @Bindable private var form: SignInForm
    private let isEmail: Bool
    private let isNew: Bool

    /// - Parameters:
    ///   - form: the model, which the app keeps.
    ///   - isEmail: whether the name is an e-mail address.
    ///   - isNew: whether the form creates an account. Then the system may suggest a password.
    public init(form: SignInForm, isEmail: Bool = false, isNew: Bool = false) {
        self.form = form
        self.isEmail = isEmail
        self.isNew = isNew
    }

    public var body: some View {
        Section {
            TextField(isEmail ? texts.email : texts.username, text: $form.username)
                .typingUsername(isEmail: isEmail)
                .submitLabel(.next)
                .focused($focus, equals: .name)
                .onSubmit { focus = .password }
            SecureField(texts.password, text: $form.password)
                .textContentType(isNew ? .newPassword : .password)
                .submitLabel(.go)
                .focused($focus, equals: .password)
                .onSubmit(attempt)
            if let error = form.error { FaultLabel(error: error) }
            if form.state == .attemptingLogin { ProgressView(texts.waiting) }
            Button(isNew ? texts.signUp : texts.signIn, action: attempt)
                .disabled(!form.canSubmit)
                .announcing(form.error?.localizedDescription ?? (form.state == .attemptingLogin ? texts.waiting : nil))
        }
    }

    private func attempt() { Task { await form.attemptLogin() } }
}
#endif
