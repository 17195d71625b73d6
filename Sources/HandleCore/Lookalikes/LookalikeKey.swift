/// What a name is reduced to so that names which a person could take for each other are equal.
///
/// 1. Underscores are dropped: `ad_min` is `admin`.
/// 2. Each letter or digit becomes the one that stands for its class (``PackedASCII/folded``): `g00gle`, `adm1n`, `AIice`.
/// 3. A letter that a pair can pass for is that pair: `m` is `rn`, `d` is `cl`, `w` is `vv`.
/// 4. Runs of a letter become one letter: `addmin` is `admin`.
///
/// Letters become pairs and not the other way round because only then does the order of the steps not matter: `form`,
/// `forrn` and `forrm` meet. The classes and their cost in real names are argued in DESIGN.md, "Which letters look
/// alike".
public struct LookalikeKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The key's symbols. Pairs are written as their letter again, so it is never longer than the name.
    public let letters: PackedASCII

    /// The key of a canonical handle or of a part of one. Capitals count as their lowercase letters.
    public init(_ letters: PackedASCII) { self = letters.foldedWithKey().key }

    public init(_ handle: Handle) { self.init(handle.letters) }

    /// A key that was made before and kept.
    public init(stored letters: PackedASCII) { self.letters = letters }

    public static func < (left: LookalikeKey, right: LookalikeKey) -> Bool { left.letters < right.letters }

    public var description: String { letters.description }
}
