#if canImport(SwiftUI)
import AuthenticationServices
import Foundation
import Onboarding
public import OpenIDSessions
import Sessions
public import SwiftUI

/// A button that opens an OpenID issuer's page in a browser sheet, and signs in with its answer. It needs the
/// `AuthStateManager` in the environment.
public struct OpenIDSignInButton: View {
    @Environment(AuthStateManager.self) private var manager
    @Environment(\.webAuthenticationSession) private var browser
    @Environment(\.signInTexts) private var texts
    @State private var attempt = SignInAttempt()
    private let backend: OpenIDBackend

    /// - Parameter backend: the manager's backend.
    public init(backend: OpenIDBackend) { self.backend = backend }

    public var body: some View {
        VStack {
            Button(texts.browser) {
                Task {
                    await attempt.run {
                        try await manager.auth.signIn(with: backend.credential(in: browser))
                    }
                }
            }
            .buttonStyle(.borderedProminent)
            .disabled(attempt.isRunning)
            .announcing(attempt.error?.localizedDescription)
            if attempt.isRunning { ProgressView(texts.waiting) }
            if let error = attempt.error { FaultLabel(error: error) }
        }
    }
}
#endif
