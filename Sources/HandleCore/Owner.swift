/// The caller's own id for a person or team: opaque here, compared byte by byte.
public struct Owner: Hashable, Sendable, CustomStringConvertible {
    public let id: String
    public var description: String { id }

    /// The most code points that an id may have: room for an issuer's URL and a subject.
    public static let longest = 255

    /// The id as it is, or nil when it is empty, longer than ``longest`` or has control characters.
    public init?(_ id: String) {
        guard (1...Self.longest).contains(id.unicodeScalars.count),
            !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self.id = id
    }

    // Swift calls two spellings of one character equal, and the database does not; nor may an owner be taken for another.
    public static func == (left: Owner, right: Owner) -> Bool { left.id.utf8.elementsEqual(right.id.utf8) }

    public func hash(into hasher: inout Hasher) {
        var id = id
        id.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// An id that was checked before it was stored.
    package init(stored id: String) { self.id = id }

    /// What an id may be, for a message to the one who gave another.
    public static let rule = "1 to \(longest) characters without control characters"
}

extension String {
    /// Whether the bytes are the same. Swift calls two spellings of one character equal (`K` and the sign for kelvin).
    package func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
