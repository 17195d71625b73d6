/// The app's data about a person besides the account.
public struct UserProfile: Codable, Sendable, Hashable {
    /// The person's id: the key of the profile in a ``ProfileStore``.
    public let userId: String
    /// The canonical handle.
    public let handle: String
    /// The same with the person's capitals.
    public let displayHandle: String
    /// The person's name as shown to others.
    public let displayName: String

    /// Checks nothing. A store makes profiles from what it has saved.
    public init(userId: String, handle: String, displayHandle: String, displayName: String) {
        self.userId = userId
        self.handle = handle
        self.displayHandle = displayHandle
        self.displayName = displayName
    }
}

/// The rules of a display name: 1 to 50 characters, not counting white space around it, and no control characters.
public enum DisplayName {
    /// The maximum number of characters.
    public static let longest = 50

    /// A broken rule.
    public enum Fault: Sendable, Hashable {
        /// There is no character besides white space.
        case empty
        /// More than ``DisplayName/longest`` characters, with the number found.
        case tooLong(length: Int)
        /// There is a control character, such as a line break.
        case controlCharacter
    }

    /// The name as it is stored.
    public static func trimmed(_ typed: String) -> String {
        var text = typed[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }

    /// The fault of a typed name; nil when there is none.
    public static func fault(in typed: String) -> Fault? {
        let name = trimmed(typed)
        if name.isEmpty { return .empty }
        if name.count > longest { return .tooLong(length: name.count) }
        let hasControl = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return hasControl ? .controlCharacter : nil
    }
}
