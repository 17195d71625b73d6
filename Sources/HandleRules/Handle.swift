/// A canonical handle: the unique lowercase name, which keeps every rule of ``Rules``.
///
/// This type only says that the name is well formed. It may still be reserved or taken.
public struct Handle: Hashable, Comparable, Sendable {
    /// The 3–15 bytes.
    public let letters: PackedASCII

    /// Returns nil when a rule is broken or a letter is not lowercase.
    public init?(_ letters: PackedASCII) {
        guard letters.lowercased == letters, Rules.areKept(by: letters) else { return nil }
        self.letters = letters
    }

    init(unchecked letters: PackedASCII) { self.letters = letters }

    public static func < (left: Handle, right: Handle) -> Bool { left.letters < right.letters }
}

extension Handle: LosslessStringConvertible {
    /// Takes a canonical handle exactly as spelled; nil for anything else. Typed text is read by ``Reading``.
    public init?(_ description: String) {
        guard let letters = PackedASCII(description.utf8) else { return nil }
        self.init(letters)
    }

    public var description: String { letters.description }
}

/// A display handle: the owner's spelling. It always folds to its canonical handle, which has the same length.
public struct DisplayHandle: Hashable, Sendable {
    /// The 3–15 bytes, with capitals kept.
    public let letters: PackedASCII

    /// Returns nil when the lowercase form is not a handle.
    public init?(_ letters: PackedASCII) {
        guard Rules.areKept(by: letters.lowercased) else { return nil }
        self.letters = letters
    }

    init(unchecked letters: PackedASCII) { self.letters = letters }

    /// The canonical handle of this spelling.
    public var handle: Handle { Handle(unchecked: letters.lowercased) }
}

extension DisplayHandle: LosslessStringConvertible {
    public init?(_ description: String) {
        guard let letters = PackedASCII(description.utf8) else { return nil }
        self.init(letters)
    }

    public var description: String { letters.description }
}
