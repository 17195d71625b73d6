#if canImport(SwiftUI)
import Foundation
import Sessions
import SwiftUI

/// The rows of a form for e-mail and password.
struct PasswordRows: View {
    private enum Field { case email, password }

    @Environment(\.signInTexts) private var texts
    @FocusState private var focus: Field?
    @Bindable var form: SignInForm
    /// The title of the button.
    let button: String
    /// Whether the password is a new one, which the system may suggest.
    let isNew: Bool

    var body: some View {
        Section {
            TextField(texts.email, text: $form.username)
                .typingEmail()
                .submitLabel(.next)
                .focused($focus, equals: .email)
                .onSubmit { focus = .password }
            SecureField(texts.password, text: $form.password)
                .textContentType(isNew ? .newPassword : .password)
                .submitLabel(.go)
                .focused($focus, equals: .password)
                .onSubmit(attempt)
            if let error = form.error { FaultLabel(error: error) }
            if form.state == .attemptingLogin { ProgressView(texts.waiting) }
            Button(button, action: attempt)
                .disabled(!form.canSubmit)
                .announcing(form.error?.localizedDescription)
        }
    }

    private func attempt() { Task { await form.attemptLogin() } }
}
#endif
