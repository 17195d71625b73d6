import Foundation

/// The facts of an account that an app shows and that are no secret. They are kept in the user's defaults, apart from the cookie.
public struct AccountFacts: Sendable, Hashable, Codable {
    public var userID: String
    public var username: String
    public var canSendPrivateMessages: Bool

    public init(userID: String, username: String, canSendPrivateMessages: Bool) {
        self.userID = userID
        self.username = username
        self.canSendPrivateMessages = canSendPrivateMessages
    }
}

/// The facts in the user's defaults, under `userID`, `username` and `canSendPrivateMessages`.
public struct AccountFactsStore: Sendable {
    /// Nil for the defaults of the program.
    private let suite: String?

    /// - Parameter suite: the name of the defaults, for programs that share them; nil for those of the program.
    public init(suite: String? = nil) { self.suite = suite }

    /// Nil without a signed-in person.
    public var facts: AccountFacts? {
        guard let id = defaults.string(forKey: "userID"), let name = defaults.string(forKey: "username") else {
            return nil
        }
        return AccountFacts(
            userID: id, username: name, canSendPrivateMessages: defaults.bool(forKey: "canSendPrivateMessages"))
    }

    public func save(_ facts: AccountFacts) {
        let defaults = defaults
        defaults.set(facts.userID, forKey: "userID")
        defaults.set(facts.username, forKey: "username")
        defaults.set(facts.canSendPrivateMessages, forKey: "canSendPrivateMessages")
        write(defaults)
    }

    public func clear() {
        let defaults = defaults
        for key in ["userID", "username", "canSendPrivateMessages"] { defaults.removeObject(forKey: key) }
        write(defaults)
    }

    private var defaults: UserDefaults { suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard }

    /// On Linux values that were set are lost at the end of the program without this call.
    private func write(_ defaults: UserDefaults) { _ = defaults.synchronize() }
}
