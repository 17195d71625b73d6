/// The actor and the reason of a change; stored with its event.
package struct Cause: Sendable, Hashable {
    /// A key, a person at the command line, or the registry itself.
    package let actor: String
    package let reason: String?

    package init(actor: String, reason: String? = nil) {
        self.actor = actor
        self.reason = reason
    }

    /// Actor of changes that the registry makes by itself.
    static let registry = Cause(actor: "registry")
}
