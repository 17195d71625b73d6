package import HandleRules

package import struct FoundationEssentials.Date

/// A filter for handles in use. A member that is not set lets every handle through.
package struct NameFilter: Sendable {
    /// The states to include; empty for all.
    package var states: [Handle.State] = []
    /// The owner that holds or has claimed the handle, or for which it is reserved.
    package var owner: Owner?
    /// The first letters of the handle, in lowercase.
    package var prefix = ""
    /// A part of the reason of a reservation, in any capitals.
    package var reason: String?
    /// The earliest time of the last change.
    package var since: Date?
    /// The time before which the last change must be.
    package var before: Date?
    /// The start of the earliest last day of the state. The last day of a state that ends at midnight is the one before.
    package var endsSince: Date?
    /// The start of the day before which the last day of the state must be.
    package var endsBefore: Date?

    package init() {}
}
