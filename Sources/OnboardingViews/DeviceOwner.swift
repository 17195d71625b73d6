#if canImport(SwiftUI)
public import Foundation
public import Sessions

#if canImport(LocalAuthentication) && !os(tvOS)
import LocalAuthentication

/// The owner of this device, for an app that locks its content by itself.
public enum DeviceOwner {
    /// Asks for Face ID, Touch ID or the passcode. The app's `Info.plist` needs `NSFaceIDUsageDescription`.
    /// - Parameter reason: a sentence for the person, such as "Open your account".
    public static func confirm(reason: String) async throws(LockedError) {
        let isOwner: Bool
        do {
            let context = LAContext()
            isOwner = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason)
        } catch let error as LAError where error.code == .passcodeNotSet {
            throw LockedError("\(error)", "Set a passcode on this device to open your account.")
        } catch {
            throw LockedError("\(error)")
        }
        guard isOwner else { throw LockedError("the device did not recognize its owner") }
    }
}

extension AuthConfiguration {
    /// Asks for Face ID, Touch ID or the passcode before a stored session is used. The app's `Info.plist` needs
    /// `NSFaceIDUsageDescription`.
    /// - Parameter reason: a sentence for the person, such as "Open your account".
    public mutating func requireDeviceOwner(reason: String) {
        unlock = { try await DeviceOwner.confirm(reason: reason) }
    }
}
#endif

/// The device's owner was not confirmed. A stored session stays locked.
///
/// ``description`` is for logs, and `localizedDescription` is a sentence for the person in English.
public struct LockedError: LocalizedError, CustomStringConvertible {
    public let description: String
    /// A sentence for the person, in English.
    public let errorDescription: String?

    /// - Parameters:
    ///   - description: the reason.
    ///   - sentence: for the person.
    public init(_ description: String, _ sentence: String = "Unlock your account to continue.") {
        self.description = description
        errorDescription = sentence
    }
}
#endif
