package import HandleCore

package import struct FoundationEssentials.Date

/// Which of the names in use are meant; what is not said lets every name through.
package struct NameFilter: Sendable {
    /// The states of which a name must have one; empty for any.
    package var states: [State] = []
    /// Who must hold or have the name, or have it reserved for them.
    package var owner: Owner?
    /// The letters with which a name must begin, in lowercase.
    package var prefix = ""
    /// What the reason of a reservation must contain, in any capitals.
    package var reason: String?
    /// The first moment at which a name may have changed last.
    package var since: Date?
    /// The moment before which a name must have changed last.
    package var before: Date?

    package init() {}
}
