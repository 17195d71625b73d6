package import HandleRules

/// The actor and the reason of a change; stored with its event.
package struct Cause: Sendable, Hashable {
    package let actor: Actor
    package let reason: String?

    package init(by actor: Actor, reason: String? = nil) {
        self.actor = actor
        self.reason = reason
    }

    /// The caller that makes a change.
    package struct Actor: Sendable, Hashable {
        /// The name in the history, which can't be erased: a key, a person at the command line, or the registry itself.
        package let name: String
        package let rights: Rights

        package enum Rights: Sendable, Hashable {
            /// May change any handle.
            case admin
            /// Acts for the owners: may change held and claimed handles. Reservations are for admins.
            case agent
            /// May change its own handles.
            case owner(Owner)
        }

        package init(_ name: String, _ rights: Rights) {
            self.name = name
            self.rights = rights
        }

        /// The owner that acts for itself; nil for callers that act for several owners.
        var owner: Owner? { if case .owner(let owner) = rights { owner } else { nil } }

        /// Actor of changes that the registry makes by itself.
        static let registry = Actor("registry", .admin)
    }
}

extension String {
    /// True if the text is valid as the reason of a change or reservation: not blank, without control characters.
    package var isReason: Bool {
        unicodeScalars.contains { !$0.properties.isWhitespace }
            && !unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
