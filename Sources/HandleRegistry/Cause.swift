/// Who makes a change, and why; kept with its event.
package struct Cause: Sendable, Hashable {
    /// A key, a person at the command line, or the registry itself.
    package let actor: String
    package let reason: String?

    package init(actor: String, reason: String? = nil) {
        self.actor = actor
        self.reason = reason
    }

    /// What the registry does by itself.
    static let registry = Cause(actor: "registry")
}
