import Foundation
import HandleClient
import HandleRules

/// Sample answers of the service.
enum Answers {
    static let taken = HandleReason(.taken(.claimed))

    static func available(_ typed: String) -> HandleAvailability { HandleAvailability(typed) }

    static func unavailable(_ typed: String) -> HandleAvailability { HandleAvailability(typed, reasons: [taken]) }

    /// A record of a well-formed name. A higher version has a later `changedAt`.
    static func record(_ display: String, _ state: Handle.State, version: Int = 1) -> HandleRecord {
        guard let display = DisplayHandle(display) else { preconditionFailure("\(display) is a handle") }
        return HandleRecord(
            display, state, owner: "jane", version: version, changedAt: Date(timeIntervalSince1970: Double(version)))
    }
}
