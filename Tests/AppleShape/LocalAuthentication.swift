public import Foundation

// The declarations that the views use, with the types that Swift sees on Apple's systems. They do nothing.

public enum LAPolicy: Int, @unchecked Sendable {
    case deviceOwnerAuthenticationWithBiometrics = 1
    case deviceOwnerAuthentication = 2
}

open class LAContext: NSObject {
    @discardableResult open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        true
    }
}

public struct LAError: Error {
    public enum Code: Int, Sendable { case userCancel, appCancel, systemCancel, passcodeNotSet }

    public let code: Code
    public init(_ code: Code) { self.code = code }

    public static var passcodeNotSet: Code { .passcodeNotSet }
}
