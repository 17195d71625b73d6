/// Who makes a change, and why; kept with its event.
public struct Cause: Sendable, Hashable {
    /// A key, a person at the command line, or the registry itself.
    public let actor: String
    public let reason: String?

    public init(actor: String, reason: String? = nil) {
        self.actor = actor
        self.reason = reason
    }

    /// What the registry does by itself.
    static let registry = Cause(actor: "registry")
}
