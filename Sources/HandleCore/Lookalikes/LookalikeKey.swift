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
    public init(_ letters: PackedASCII) { self.init(folded: letters.folded) }

    /// The key of letters that are ``PackedASCII/folded`` already.
    init(folded: PackedASCII) {
        var key = KeyWriter()
        for index in 0..<folded.count {
            switch folded[index] {
            case Rules.underscore: continue
            case UInt8(ascii: "m"): key.add(UInt8(ascii: "r"), UInt8(ascii: "n"))
            // What `cl` folds to.
            case UInt8(ascii: "d"): key.add(UInt8(ascii: "c"), UInt8(ascii: "i"))
            // `vv`, whose run is one letter.
            case UInt8(ascii: "w"): key.add(UInt8(ascii: "v"))
            case let symbol: key.add(symbol)
            }
        }
        self.letters = key.finish()
    }

    public init(_ handle: Handle) { self.init(handle.letters) }

    /// A key that was made before and kept.
    public init(stored letters: PackedASCII) { self.letters = letters }

    public static func < (left: LookalikeKey, right: LookalikeKey) -> Bool { left.letters < right.letters }

    public var description: String { letters.description }
}

/// Writes symbols as they come: runs as one symbol, and the pairs `rn` and `ci` as one letter.
private struct KeyWriter {
    private var key = PackedASCII()
    /// The symbol before, to see runs; 0 at the beginning.
    private var previous: UInt8 = 0
    /// The last symbol of the key; 0 at the beginning.
    private var last: UInt8 = 0
    /// An `r` or `c` that may be the first of a pair; 0 when there is none.
    private var pending: UInt8 = 0

    @inline(__always)
    mutating func add(_ symbol: UInt8) {
        if symbol == previous { return }
        previous = symbol
        switch (pending, symbol) {
        case (UInt8(ascii: "r"), UInt8(ascii: "n")): return write(pairAs: UInt8(ascii: "m"))
        case (UInt8(ascii: "c"), UInt8(ascii: "i")): return write(pairAs: UInt8(ascii: "d"))
        case (0, _): break
        default: write(pending)
        }
        if symbol == UInt8(ascii: "r") || symbol == UInt8(ascii: "c") {
            pending = symbol
        } else {
            pending = 0
            write(symbol)
        }
    }

    @inline(__always)
    mutating func add(_ first: UInt8, _ second: UInt8) {
        add(first)
        add(second)
    }

    mutating func finish() -> PackedASCII {
        if pending != 0 { write(pending) }
        return key
    }

    private mutating func write(pairAs letter: UInt8) {
        pending = 0
        write(letter)
    }

    @inline(__always)
    private mutating func write(_ symbol: UInt8) {
        if last != symbol { key.append(symbol) }
        last = symbol
    }
}
