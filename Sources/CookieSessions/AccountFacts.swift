import Foundation

/// The public facts of an account that an app shows. They are stored in the user defaults, apart from the cookie.
public struct AccountFacts: Sendable, Hashable, Codable {
    /// The service's id of the account.
    public var userID: String
    /// The name with which the person logs in.
    public var username: String
    /// Whether the account had this right at the log-in.
    public var canSendPrivateMessages: Bool

    /// The facts as the response to a log-in gives them.
    public init(userID: String, username: String, canSendPrivateMessages: Bool) {
        self.userID = userID
        self.username = username
        self.canSendPrivateMessages = canSendPrivateMessages
    }
}

/// The facts in the user defaults, under `userID`, `username` and `canSendPrivateMessages`.
public struct AccountFactsStore: Sendable {
    /// Nil for the program's own defaults.
    private let suite: String?

    /// - Parameter suite: the name of the defaults, for programs that share them; nil for the program's own.
    public init(suite: String? = nil) { self.suite = suite }

    /// Nil when no person is signed in.
    public var facts: AccountFacts? {
        guard let id = defaults.string(forKey: "userID"), let name = defaults.string(forKey: "username") else {
            return nil
        }
        return AccountFacts(
            userID: id, username: name, canSendPrivateMessages: defaults.bool(forKey: "canSendPrivateMessages"))
    }

    /// Replaces the stored facts.
    public func save(_ facts: AccountFacts) {
        let defaults = defaults
        defaults.set(facts.userID, forKey: "userID")
        defaults.set(facts.username, forKey: "username")
        defaults.set(facts.canSendPrivateMessages, forKey: "canSendPrivateMessages")
        write(defaults)
    }

    /// Removes the stored facts; other defaults stay.
    public func clear() {
        let defaults = defaults
        for key in ["userID", "username", "canSendPrivateMessages"] { defaults.removeObject(forKey: key) }
        write(defaults)
    }

    private var defaults: UserDefaults { suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard }

    /// On Linux, new values would be lost at the end of the program without this call.
    private func write(_ defaults: UserDefaults) { _ = defaults.synchronize() }
}
