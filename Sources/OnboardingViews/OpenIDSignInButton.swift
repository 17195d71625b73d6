#if canImport(SwiftUI)
public import AuthenticationServices
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
    private let parameters: [String: String]
    private let browserSession: WebAuthenticationSession.BrowserSession?

    /// - Parameters:
    ///   - backend: the manager's backend.
    ///   - parameters: further parameters of the issuer, such as `["login_hint": "jane@example.com"]`.
    ///   - browserSession: `.ephemeral` asks the browser to keep the cookies of the sheet apart.
    public init(
        backend: OpenIDBackend, parameters: [String: String] = [:],
        browserSession: WebAuthenticationSession.BrowserSession? = nil
    ) {
        self.backend = backend
        self.parameters = parameters
        self.browserSession = browserSession
    }

    public var body: some View {
        VStack {
            Button(texts.browser) {
                Task {
                    await attempt.run {
                        let credential = try await backend.credential(
                            in: browser, parameters: parameters, browserSession: browserSession)
                        try await manager.auth.signIn(with: credential)
                    }
                }
            }
            .buttonStyle(.borderedProminent)
            .disabled(attempt.isRunning)
            .announcing(attempt.error?.localizedDescription ?? (attempt.isRunning ? texts.waiting : nil))
            if attempt.isRunning { ProgressView(texts.waiting) }
            if let error = attempt.error { FaultLabel(error: error) }
        }
    }
}
#endif
