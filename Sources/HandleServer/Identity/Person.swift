package import HandleRules

package import struct FoundationEssentials.Date

/// A person identified by an identity token.
package struct Person: Sendable, Hashable {
    /// The token's issuer and subject, joined by `|`.
    package let owner: Owner
    /// When the token expires.
    package let end: Date

    package init(owner: Owner, end: Date) {
        self.owner = owner
        self.end = end
    }
}
