public import Foundation

/// The facts of a session that are no secret, so they can be read synchronously and shown.
public struct Session: Sendable, Hashable, Identifiable {
    /// Made at sign-in, and the same until sign-out, over restarts too.
    public let id: UUID
    /// When the person signed in, by the device's clock.
    public let startedAt: Date
    /// Whether the person is a guest without an account.
    public let isAnonymous: Bool

    public init(id: UUID = UUID(), startedAt: Date, isAnonymous: Bool = false) {
        self.id = id
        // As it is stored, so that a restored session equals the one that began.
        self.startedAt = Date(timeIntervalSince1970: startedAt.timeIntervalSince1970)
        self.isAnonymous = isAnonymous
    }
}
