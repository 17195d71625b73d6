/// The app's store of profiles. Both calls may throw any error; the onboarding retries a failed save.
///
/// ```swift
/// let profiles = ProfileStore { userID in
///     guard let data = UserDefaults.standard.data(forKey: userID) else { return nil }
///     return try JSONDecoder().decode(UserProfile.self, from: data)
/// } save: { profile in
///     UserDefaults.standard.set(try JSONEncoder().encode(profile), forKey: profile.userId)
/// }
/// ```
public struct ProfileStore: Sendable {
    /// The profile of a person; nil when there is none.
    public let load: @Sendable (_ userID: String) async throws -> UserProfile?
    /// Stores a profile, replacing an earlier one. The same profile may be stored more than once. The next save waits
    /// for this one to end, so it needs its own timeout.
    public let save: @Sendable (UserProfile) async throws -> Void

    /// - Parameters:
    ///   - load: returns the profile of a person; nil when there is none.
    ///   - save: stores a profile, replacing an earlier one.
    public init(
        load: @escaping @Sendable (_ userID: String) async throws -> UserProfile?,
        save: @escaping @Sendable (UserProfile) async throws -> Void
    ) {
        self.load = load
        self.save = save
    }
}
