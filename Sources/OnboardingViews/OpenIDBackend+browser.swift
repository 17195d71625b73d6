#if canImport(SwiftUI)
public import AuthenticationServices
import Foundation
public import OpenIDSessions
public import Sessions
public import SwiftUI

extension OpenIDBackend {
    /// Opens the issuer's page in a browser sheet, and reads the credential from its answer.
    /// - Parameters:
    ///   - browser: the environment value `webAuthenticationSession`.
    ///   - parameters: further parameters of the issuer; `["prompt": "create"]` begins with a new account.
    ///   - browserSession: `.ephemeral` asks the browser to keep the cookies of the sheet apart.
    /// - Throws: `CancellationError` when the person closed the sheet; otherwise ``SessionError``.
    @MainActor public func credential(
        in browser: WebAuthenticationSession, parameters: [String: String] = [:],
        browserSession: WebAuthenticationSession.BrowserSession? = nil
    ) async throws -> Credential {
        let request = try await authorization(parameters: parameters)
        let answer: URL
        do {
            answer = try await open(request.url, in: browser, browserSession)
        } catch let error as ASWebAuthenticationSessionError where error.code == .canceledLogin {
            throw CancellationError()
        } catch {
            throw SessionError.misconfigured("the browser sheet failed: \(error)")
        }
        return try await credential(from: answer, for: request)
    }

    @MainActor private func open(
        _ page: URL, in browser: WebAuthenticationSession, _ session: WebAuthenticationSession.BrowserSession?
    ) async throws -> URL {
        let scheme = redirectURI.scheme ?? ""
        if #available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *) {
            let callback: ASWebAuthenticationSession.Callback =
                scheme == "https"
                ? .https(host: redirectURI.host() ?? "", path: redirectURI.path()) : .customScheme(scheme)
            return try await browser.authenticate(
                using: page, callback: callback, preferredBrowserSession: session, additionalHeaderFields: [:])
        }
        // An https address fails here.
        return try await browser.authenticate(
            using: page, callbackURLScheme: scheme, preferredBrowserSession: session)
    }
}
#endif
