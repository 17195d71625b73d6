public import Foundation
public import UIKit

// The declarations that the views use, with the types that Swift sees on Apple's systems. They do nothing.

// MARK: Sign in with Apple

open class ASAuthorizationRequest: NSObject {}

open class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
    public var requestedScopes: [ASAuthorization.Scope]?
    public var state: String?
    public var nonce: String?
}

open class ASAuthorizationAppleIDRequest: ASAuthorizationOpenIDRequest {}

open class ASAuthorizationAppleIDProvider: NSObject {
    public func createRequest() -> ASAuthorizationAppleIDRequest { ASAuthorizationAppleIDRequest() }
}

public protocol ASAuthorizationCredential: NSObjectProtocol {}

open class ASAuthorization: NSObject {
    public struct Scope: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let fullName = Scope(rawValue: "")
        public static let email = Scope(rawValue: "")
    }

    public let credential: any ASAuthorizationCredential
    init(credential: any ASAuthorizationCredential) { self.credential = credential }
}

open class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential {
    public var user: String { "" }
    public var state: String? { nil }
    public var authorizationCode: Data? { nil }
    public var identityToken: Data? { nil }
    public var email: String? { nil }
}

public struct ASAuthorizationError: Error {
    public enum Code: Int, Sendable { case unknown, canceled, invalidResponse, notHandled, failed }

    public let code: Code
    public init(_ code: Code) { self.code = code }

    public static var canceled: Code { .canceled }
}

public typealias ASPresentationAnchor = UIWindow

open class ASAuthorizationController: NSObject {
    public init(authorizationRequests: [ASAuthorizationRequest]) {}
    public weak var delegate: (any ASAuthorizationControllerDelegate)?
    public weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?
    public func performRequests() {}
}

/// On Apple's systems, its methods are optional.
@MainActor @preconcurrency public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

@MainActor @preconcurrency public protocol ASAuthorizationControllerPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

// MARK: The browser sheet

open class ASWebAuthenticationSession: NSObject {
    public final class Callback: NSObject, Sendable {
        public static func customScheme(_ customScheme: String) -> Callback { Callback() }
        public static func https(host: String, path: String) -> Callback { Callback() }
    }
}

public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Int, Sendable { case canceledLogin, presentationContextNotProvided, presentationContextInvalid }

    public let code: Code
    public init(_ code: Code) { self.code = code }

    public static var canceledLogin: Code { .canceledLogin }
}
