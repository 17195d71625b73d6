/// Where the app keeps profiles. Both calls may throw any error; the onboarding repeats a failed save.
public struct ProfileStore: Sendable {
    /// The profile of a person; nil when they have none.
    public let load: @Sendable (_ userID: String) async throws -> UserProfile?
    /// Stores a profile in the place of an earlier one. The same profile may come more than once. The next save waits for the end of
    /// this one, so it has a limit of time of its own.
    public let save: @Sendable (UserProfile) async throws -> Void

    public init(
        load: @escaping @Sendable (_ userID: String) async throws -> UserProfile?,
        save: @escaping @Sendable (UserProfile) async throws -> Void
    ) {
        self.load = load
        self.save = save
    }
}
