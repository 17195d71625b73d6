#if canImport(SwiftUI)
public import Foundation
public import Sessions

#if canImport(LocalAuthentication) && !os(tvOS)
import LocalAuthentication

extension AuthConfiguration {
    /// Asks for Face ID, Touch ID or the passcode before a stored session is used. The app's `Info.plist` needs
    /// `NSFaceIDUsageDescription`.
    /// - Parameter reason: a sentence for the person, such as "Open your account".
    public mutating func requireDeviceOwner(reason: String) {
        unlock = {
            do {
                let context = LAContext()
                guard try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason) else {
                    throw LockedError("the device did not recognize its owner")
                }
            } catch let error as LAError where error.code == .passcodeNotSet {
                throw LockedError("\(error)", "Set a passcode on this device to open your account.")
            } catch {
                throw LockedError("\(error)")
            }
        }
    }
}
#endif

/// The device's owner did not unlock the stored session, so it stays locked.
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
