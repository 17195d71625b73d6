/// A word that nobody may take as a handle, as a matter of policy.
public struct ReservedWord: Hashable, Sendable {
    /// 2–15 lowercase letters, digits and underscores.
    public let word: PackedASCII
    /// Why it is reserved, as one of the named groups of the list: `roles`, `routes`, `payment` …
    public let category: String
    public let match: Match

    /// How far from its own spelling a word reaches.
    public enum Match: String, Sendable, CaseIterable {
        /// The word and nothing else.
        case exact
        /// Also whatever looks like it: `adm1n`, `ad_min`.
        case lookalike
        /// Also with the prefixes and suffixes that impersonators use: `real_admin`, `admin_team`, `admin99`.
        case affix
    }

    /// Whether the word is of the core that an admin can't take off: the words by which somebody could pass for those
    /// who run the place.
    public var isLocked: Bool { Self.lockedCategories.contains(category) }

    public static let lockedCategories: Set<String> = ["roles", "support", "trust_safety", "system_users", "product"]

    public init(word: PackedASCII, category: String, match: Match) {
        self.word = word
        self.category = category
        self.match = match
    }
}
