#if canImport(SwiftUI)
import AuthenticationServices
import Foundation
import Onboarding
import Sessions
public import SwiftUI

/// Sign in with Apple. It needs the `AuthStateManager` in the environment, a backend that accepts
/// `Credential.apple`, and the capability of this name in the app's target.
public struct AppleSignInButton: View {
    @Environment(AuthStateManager.self) private var manager
    @Environment(\.colorScheme) private var colorScheme
    /// Without a height, the button takes all space.
    @ScaledMetric private var height: CGFloat = 48
    @State private var attempt = SignInAttempt()
    /// The nonce of the latest request.
    @State private var nonce = AppleNonce()

    /// Takes the texts and the colours from the environment.
    public init() {}

    public var body: some View {
        VStack {
            SignInWithAppleButton(.continue) { request in
                let nonce = AppleNonce()
                self.nonce = nonce
                request.requestedScopes = [.email]
                request.nonce = nonce.hash
            } onCompletion: { result in
                Task {
                    await attempt.run {
                        try await manager.auth.signInWithApple(AppleCredential(result, nonce: nonce))
                    }
                }
            }
            .signInWithAppleButtonStyle(colorScheme == .dark ? .white : .black)
            // Apple's button is not wider.
            .frame(maxWidth: 375, minHeight: height, maxHeight: height)
            .disabled(attempt.isRunning)
            .announcing(attempt.error?.localizedDescription)
            if let error = attempt.error { FaultLabel(error: error) }
        }
    }
}
#endif
