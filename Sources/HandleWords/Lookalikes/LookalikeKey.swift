package import HandleRules

/// The look-alike key of a name: names that a person could mistake for each other have equal keys.
///
/// 1. Underscores are dropped: `ad_min` becomes `admin`.
/// 2. Three or more of a letter become two: `gooogle` becomes `google`. Digits stay, because they are numbers, and so do
///    i, l, v and w, because other letters make their runs too.
/// 3. Each letter or digit becomes the first of its class (``PackedASCII/folded``): `g00gle`, `adm1n`, `AIice`.
/// 4. Pairs that look like a letter become that letter: `rn` is `m`, `cl` is `d`, `vv` is `w`.
///
/// Step 4 gives the same key as writing each of these letters as its pair would, so the order in which pairs are found
/// does not matter: `rnrn`, `rnm` and `mrn` are `mm`. A doubled letter is not a single one: names of people differ in
/// that. docs/decisions/names.md gives the reasons for the classes.
package struct LookalikeKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The symbols of the key. Pairs are written as one letter again, so the key is never longer than the name.
    package let letters: PackedASCII

    /// The key of a canonical handle or of a part of one. Capitals count as lowercase letters.
    package init(_ letters: PackedASCII) { self.init(FoldedName(letters), of: letters) }

    /// Does step 2 where it changes the symbols.
    @inline(__always)
    init(_ folded: FoldedName, of name: PackedASCII) {
        // Three of a letter are three of its folded form. Nearly all names have none.
        if folded.bare.hasLongRun, let shorter = name.withLongRunsShortened {
            letters = FoldedName(shorter).symbols
        } else {
            letters = folded.symbols
        }
    }

    package init(_ handle: Handle) { self.init(handle.letters) }

    /// A key that was computed before and stored.
    package init(stored letters: PackedASCII) { self.letters = letters }

    package static func < (left: LookalikeKey, right: LookalikeKey) -> Bool { left.letters < right.letters }

    package var description: String { letters.description }
}
