/// The look-alike key of a name: names that a person could mistake for each other have equal keys.
///
/// 1. Underscores are dropped: `ad_min` becomes `admin`.
/// 2. Each letter or digit becomes the first of its class (``PackedASCII/folded``): `g00gle`, `adm1n`, `AIice`.
/// 3. A letter that looks like a pair becomes that pair: `m` is `rn`, `d` is `cl`, `w` is `vv`.
/// 4. Runs of a letter become one letter: `addmin` becomes `admin`.
///
/// Letters become pairs and not the other way round, so that the order of the steps does not matter: `form`, `forrn`
/// and `forrm` get the same key. DESIGN.md, "Which letters look alike", gives the reasons for the classes and their
/// cost in real names.
public struct LookalikeKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The symbols of the key. Pairs are written as one letter again, so the key is never longer than the name.
    public let letters: PackedASCII

    /// The key of a canonical handle or of a part of one. Capitals count as lowercase letters.
    public init(_ letters: PackedASCII) { self = letters.foldedWithKey().key }

    public init(_ handle: Handle) { self.init(handle.letters) }

    /// A key that was computed before and stored.
    public init(stored letters: PackedASCII) { self.letters = letters }

    public static func < (left: LookalikeKey, right: LookalikeKey) -> Bool { left.letters < right.letters }

    public var description: String { letters.description }
}
