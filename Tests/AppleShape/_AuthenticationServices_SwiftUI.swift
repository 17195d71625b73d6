@_exported public import AuthenticationServices
public import Foundation
public import SwiftUI

// The declarations that a file sees if it imports both AuthenticationServices and SwiftUI. They do nothing.

@MainActor @preconcurrency public struct SignInWithAppleButton: View {
    public struct Label: Sendable {
        public static let signIn = Label()
        public static let signUp = Label()
        public static let `continue` = Label()
    }

    public struct Style: Sendable {
        public static let black = Style()
        public static let white = Style()
        public static let whiteOutline = Style()
    }

    public typealias Body = Never

    public nonisolated init(
        _ label: SignInWithAppleButton.Label = .signIn, onRequest: @escaping (ASAuthorizationAppleIDRequest) -> Void,
        onCompletion: @escaping (Result<ASAuthorization, any Error>) -> Void
    ) {}
}

extension View {
    public nonisolated func signInWithAppleButtonStyle(_ style: SignInWithAppleButton.Style) -> some View { self }
}

@MainActor public struct WebAuthenticationSession {
    public struct BrowserSession: Sendable {
        public static var shared: BrowserSession { BrowserSession() }
        public static var ephemeral: BrowserSession { BrowserSession() }
    }

    nonisolated init() {}

    public func authenticate(
        using url: URL, callbackURLScheme: String, preferredBrowserSession: BrowserSession? = nil
    ) async throws -> URL { url }

    public func authenticate(
        using url: URL, callback: ASWebAuthenticationSession.Callback, preferredBrowserSession: BrowserSession? = nil,
        additionalHeaderFields: [String: String]
    ) async throws -> URL { url }
}

extension EnvironmentValues {
    public var webAuthenticationSession: WebAuthenticationSession { WebAuthenticationSession() }
}
