public import Foundation

/// The public facts of a session. They are not secret, so they can be read synchronously and shown.
public struct Session: Sendable, Hashable, Identifiable {
    /// Created at sign-in, and the same until sign-out, across restarts.
    public let id: UUID
    /// The time of the sign-in, by the device's clock.
    public let startedAt: Date
    /// Whether the person is a guest without an account.
    public let isAnonymous: Bool

    /// The facts of a session, by default of a new one of a person with an account.
    public init(id: UUID = UUID(), startedAt: Date, isAnonymous: Bool = false) {
        self.id = id
        // Rounded as in the store, so that a restored session equals the original.
        self.startedAt = Date(timeIntervalSince1970: startedAt.timeIntervalSince1970)
        self.isAnonymous = isAnonymous
    }
}
