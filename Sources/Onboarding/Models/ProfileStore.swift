/// The app's store of profiles. Both calls may throw any error; the onboarding retries a failed save.
public struct ProfileStore: Sendable {
    /// The profile of a person; nil when there is none.
    public let load: @Sendable (_ userID: String) async throws -> UserProfile?
    /// Stores a profile, replacing an earlier one. The same profile may be stored more than once. The next save waits
    /// for this one to end, so it needs its own timeout.
    public let save: @Sendable (UserProfile) async throws -> Void

    public init(
        load: @escaping @Sendable (_ userID: String) async throws -> UserProfile?,
        save: @escaping @Sendable (UserProfile) async throws -> Void
    ) {
        self.load = load
        self.save = save
    }
}
