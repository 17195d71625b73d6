/// The id that the calling application gives a person or team. It is opaque here and compared byte by byte.
public struct Owner: Hashable, Sendable, CustomStringConvertible {
    /// The id as it was given: 1 to ``longest`` code points.
    public let id: String
    public var description: String { id }

    /// The maximum number of code points in an id: room for an issuer's URL and a subject.
    public static let longest = 255

    /// Returns nil when the id is empty, longer than ``longest``, has control characters, or begins or ends with white
    /// space or an invisible character: such an id would be displayed like another owner's.
    public init?(_ id: String) {
        let scalars = id.unicodeScalars
        guard (1...Self.longest).contains(scalars.count), scalars.first?.isUnseen == false,
            scalars.last?.isUnseen == false,
            !scalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self.id = id
    }

    // Bytes are compared, as the database does: Swift's `==` calls two spellings of one character equal, which would
    // take one owner for another.
    public static func == (left: Owner, right: Owner) -> Bool { left.id.utf8.elementsEqual(right.id.utf8) }

    public func hash(into hasher: inout Hasher) {
        var id = id
        id.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// An id that was checked before it was stored.
    package init(stored id: String) { self.id = id }

    /// The rule for ids, for error messages.
    public static let rule =
        "1 to \(longest) characters without control characters and without white space or invisible characters at its ends"
}

extension String {
    /// Whether the bytes are the same. Swift's `==` calls two spellings of one character equal (`K` and the kelvin
    /// sign).
    package func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
