import HandleRules

/// The words used in suggestions: short and friendly; none claims a role or a business.
enum SuggestionWords {
    static let before: [PackedASCII] = [
        "hey", "hello", "just", "simply", "meet", "oh", "hi", "its", "little", "ever", "also", "dear",
    ]

    static let after: [PackedASCII] = [
        "here", "now", "too", "daily", "notes", "life", "space", "today", "says", "again", "abroad", "etc",
    ]

    static let qualities: [PackedASCII] = [
        "sunny", "quiet", "brave", "calm", "swift", "lucky", "merry", "noble", "amber", "misty", "bright", "gentle",
        "mellow", "nimble", "rapid", "royal", "silver", "vivid", "witty", "cosy", "coral", "azure", "polar", "lunar",
    ]

    static let things: [PackedASCII] = [
        "fern", "river", "maple", "comet", "otter", "robin", "cedar", "pine", "harbor", "meadow", "pebble", "lark",
        "willow", "ember", "heron", "cloud", "stone", "wren", "birch", "dune", "brook", "finch", "juniper", "tide",
    ]

    /// One to three digits that are not a birth year and have no widely known second meaning.
    static let numbers: [PackedASCII] = spelled(
        Array(2...9) + (20...39).filter { $0 != 28 } + (200...799).filter { !isLoaded($0) })

    /// Four digits of the same kind, above any year of a person's lifetime.
    static let longNumbers: [PackedASCII] = spelled((2200...9799).filter { !isLoaded($0) })

    private static func spelled(_ numbers: [Int]) -> [PackedASCII] {
        numbers.compactMap { PackedASCII(String($0).utf8) }
    }

    /// Whether a number is or contains one with a second meaning.
    private static func isLoaded(_ number: Int) -> Bool {
        let loaded = ["13", "14", "18", "28", "69", "88", "187", "311", "404", "420", "666", "777", "911"]
        return loaded.contains { digits in contains(String(number), digits) }
    }

    private static func contains(_ text: String, _ part: String) -> Bool {
        text.indices.contains { text[$0...].hasPrefix(part) }
    }
}
