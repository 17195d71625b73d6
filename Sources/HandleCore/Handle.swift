/// A canonical handle: the unique lowercase name, known to keep every rule of ``Rules``.
///
/// Whether it is a reserved word or taken is another question; this type only says that it is well formed.
public struct Handle: Hashable, Comparable, Sendable {
    /// Its 3–15 bytes.
    public let letters: PackedASCII

    /// The letters as a handle, or nil when a rule is broken or a letter is not lowercase.
    public init?(_ letters: PackedASCII) {
        guard letters.lowercased == letters, Rules.areKept(by: letters) else { return nil }
        self.letters = letters
    }

    init(unchecked letters: PackedASCII) { self.letters = letters }

    public static func < (left: Handle, right: Handle) -> Bool { left.letters < right.letters }
}

extension Handle: LosslessStringConvertible {
    /// The handle spelled exactly as given: canonical already, or nil. To read what a person typed, use ``Reading``.
    public init?(_ description: String) {
        guard let letters = PackedASCII(description.utf8) else { return nil }
        self.init(letters)
    }

    public var description: String { letters.description }
}

/// A display handle: the owner's spelling, which always folds to its canonical handle and has the same length.
public struct DisplayHandle: Hashable, Sendable {
    /// Its 3–15 bytes, capitals kept.
    public let letters: PackedASCII

    /// The letters as a display handle, or nil when their lowercase form is no handle.
    public init?(_ letters: PackedASCII) {
        guard Rules.areKept(by: letters.lowercased) else { return nil }
        self.letters = letters
    }

    init(unchecked letters: PackedASCII) { self.letters = letters }

    /// The canonical handle that this is a spelling of.
    public var handle: Handle { Handle(unchecked: letters.lowercased) }
}

extension DisplayHandle: LosslessStringConvertible {
    public init?(_ description: String) {
        guard let letters = PackedASCII(description.utf8) else { return nil }
        self.init(letters)
    }

    public var description: String { letters.description }
}
