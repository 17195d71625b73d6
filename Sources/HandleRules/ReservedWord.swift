/// A word that policy forbids as a handle.
public struct ReservedWord: Hashable, Sendable {
    /// 2–15 lowercase letters, digits and underscores.
    public let word: PackedASCII
    /// The named group of the list that gives the reason: `roles`, `routes`, `payment` …
    public let category: String
    /// The names that the word forbids besides itself.
    public let match: Match

    /// How far from its own spelling a word matches.
    public enum Match: String, Sendable, CaseIterable {
        /// Only the word itself.
        case exact
        /// Also names that look like it: `adm1n`, `ad_min`.
        case lookalike
        /// Also with an affix that alone claims authority, and no other: `official_routes`, `routes_team`. A word of up
        /// to four letters, not counting underscores, has no look-alikes, and needs an underscore beside the affix:
        /// `dns_team`.
        case authority
        /// Also with a letter doubled (`addmin`), and with all prefixes and suffixes that impersonators use:
        /// `real_admin`, `admin_team`, `admin99`.
        case affix
        /// Only the word itself, with digits for letters, underscores, or up to four digits at the end: `sh1t`, `shit_99`.
        case whole
        /// Also names that contain the word: `fuckyou`, `thefuck`.
        case inside
    }

    /// Whether an admin can't remove the word. Locked words are those that would let a person pose as the operator.
    public var isLocked: Bool { Self.lockedCategories.contains(category) }

    /// Whether the word insults or is obscene.
    package var isOffensive: Bool { category == "offensive" }

    /// The values of ``category`` with words that an admin can't remove.
    public static let lockedCategories: Set<String> = ["roles", "support", "trust_safety", "system_users", "product"]

    /// - Parameters:
    ///   - word: 2–15 lowercase letters, digits and underscores; not checked here.
    ///   - category: the named group of the list.
    ///   - match: the names that the word forbids besides itself.
    public init(word: PackedASCII, category: String, match: Match) {
        self.word = word
        self.category = category
        self.match = match
    }
}
