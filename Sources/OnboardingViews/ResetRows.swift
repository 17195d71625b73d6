#if canImport(SwiftUI)
import Foundation
import Onboarding
import SwiftUI

/// The rows of a form for a forgotten password.
struct ResetRows: View {
    @Environment(\.signInTexts) private var texts
    @State private var attempt = SignInAttempt()
    /// The address that a message was sent to.
    @State private var sentTo: String?
    let email: String
    let reset: @MainActor (String) async throws -> Void

    var body: some View {
        Section {
            Button(texts.forgotPassword) {
                Task {
                    await attempt.run {
                        try await reset(email)
                        sentTo = email
                    }
                }
            }
            .disabled(email.isEmpty || attempt.isRunning)
            .announcing(attempt.error?.localizedDescription ?? sentText)
            if let error = attempt.error { FaultLabel(error: error) } else if let sentText { Text(sentText) }
        }
    }

    private var sentText: String? { sentTo == email ? texts.resetSent : nil }
}
#endif
