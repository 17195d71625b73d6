package import HandleCore

package import struct FoundationEssentials.Date

/// A person who has shown an identity token.
package struct Person: Sendable, Hashable {
    /// The token's issuer and subject, joined by `|`.
    package let owner: Owner
    /// When the token ends.
    package let end: Date

    package init(owner: Owner, end: Date) {
        self.owner = owner
        self.end = end
    }
}
