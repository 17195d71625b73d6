#if canImport(SwiftUI)
import AuthenticationServices
import Foundation
public import Onboarding
import Sessions

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif

extension OnboardingConfiguration {
    /// Lets `AuthStateManager.signInWithApple()` show the system's sheet, for a button of one's own. The call throws
    /// `CancellationError` when the person closes the sheet, and otherwise `SessionError` `.misconfigured`. The app's
    /// target needs the capability *Sign in with Apple*.
    @available(iOSApplicationExtension, unavailable)
    public mutating func useAppleSheet() {
        appleSheet = { nonce in try await AppleSheet(nonce).credential() }
    }
}

/// One sheet, and the delegate of its controller.
@available(iOSApplicationExtension, unavailable)
@MainActor private final class AppleSheet: NSObject, ASAuthorizationControllerDelegate {
    private let nonce: AppleNonce
    /// Nil before the sheet is shown and after its answer, so it is resumed only once.
    private var continuation: CheckedContinuation<AppleCredential, any Error>?

    init(_ nonce: AppleNonce) { self.nonce = nonce }

    func credential() async throws -> AppleCredential {
        let request = ASAuthorizationAppleIDProvider().createRequest()
        request.requestedScopes = [.email]
        request.nonce = nonce.hash
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        #if !os(watchOS)
        controller.presentationContextProvider = self
        #endif
        // The system keeps the controller until the answer, but the controller does not keep its delegate.
        defer { withExtendedLifetime(self) {} }
        return try await withCheckedThrowingContinuation { continuation in
            self.continuation = continuation
            controller.performRequests()
        }
    }

    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) { answer(.success(authorization)) }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        answer(.failure(error))
    }

    private func answer(_ result: Result<ASAuthorization, any Error>) {
        continuation?.resume(with: Result { try AppleCredential(result, nonce: nonce) })
        continuation = nil
    }
}

#if !os(watchOS)
@available(iOSApplicationExtension, unavailable)
extension AppleSheet: ASAuthorizationControllerPresentationContextProviding {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
        #if canImport(UIKit)
        let scenes = UIApplication.shared.connectedScenes.filter { $0.activationState == .foregroundActive }
        let window = scenes.compactMap { ($0 as? UIWindowScene)?.keyWindow }.first
        #else
        let window = NSApplication.shared.keyWindow
        #endif
        return window ?? ASPresentationAnchor()
    }
}
#endif
#endif
