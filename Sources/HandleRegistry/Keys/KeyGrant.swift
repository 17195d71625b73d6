package import struct FoundationEssentials.Date

/// Name, scopes, end and rate limit of a new key.
package struct KeyGrant: Sendable {
    package let name: String
    package let scopes: Set<KeyScope>
    /// End of the key; nil for none.
    package let until: Date?
    /// Rate limit of the key; nil for none.
    package let rate: Rate?

    /// The longest name, in Unicode scalars: it has to fit into a line of a table.
    package static let longestName = 64

    /// The rule for names, for error messages.
    package static let nameRule =
        "1 to \(longestName) printable characters, and not '\(KeyHolder.admin.name)', the name of the first key"

    /// Nil if the name breaks ``nameRule`` or there is no scope.
    package init?(name: String, scopes: Set<KeyScope>, until: Date? = nil, rate: Rate? = nil) {
        guard (1...Self.longestName).contains(name.unicodeScalars.count), name.contains(where: { !$0.isWhitespace }),
            name.unicodeScalars.allSatisfy(Self.isPrintable), name != KeyHolder.admin.name, !scopes.isEmpty
        else { return nil }
        self.name = name
        self.scopes = scopes
        self.until = until
        self.rate = rate
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
