/// What a name is reduced to so that names which a person could take for each other are equal.
///
/// Four steps, none of which depends on a language or on data outside this file:
/// 1. Underscores are dropped: `ad_min` is `admin`.
/// 2. Each letter or digit becomes the one that stands for its class (``fold(_:)``): `g00gle`, `adm1n`, `AIice`.
/// 3. Pairs that look like one letter become it: `vv` is `w`, `rn` is `m`, `cl` is `d`.
/// 4. Runs of a letter become one letter: `addmin` is `admin`.
///
/// The classes and their cost in real names are argued in DESIGN.md, "Which letters look alike".
public struct LookalikeKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let letters: PackedASCII

    /// The key of a canonical handle or of a part of one. Capitals count as their lowercase letters.
    public init(_ letters: PackedASCII) {
        var key = PackedASCII()
        var previous: UInt8 = 0  // the class of the current run
        var run = 0
        for index in 0..<letters.count {
            let byte = letters[index]
            if byte == Rules.underscore { continue }
            let symbol = Self.fold(byte)
            if symbol == previous {
                run += 1
                if symbol == UInt8(ascii: "v"), run == 2 { key.replaceLast(with: UInt8(ascii: "w")) }
                continue
            }
            previous = symbol
            run = 1
            key.append(symbol)
        }
        self.letters = key.pairsMerged()
    }

    public init(_ handle: Handle) { self.init(handle.letters) }

    /// The byte that stands for `byte`'s class; the byte itself, in lowercase, when it looks like no other.
    public static func fold(_ byte: UInt8) -> UInt8 { foldTable[Int(byte & 0x7F)] }

    public static func < (left: LookalikeKey, right: LookalikeKey) -> Bool { left.letters < right.letters }

    public var description: String { letters.description }
}

/// Letters and digits that are taken for each other; the first of each class stands for it.
///
/// A digit can stand for two letters (`1` for i and for l), so these are classes and not a mapping of digits.
private let lookalikeClasses: [StaticString] = ["il1", "o0", "s5", "b8", "z2", "a4", "e3", "g9q6", "t7"]

private let foldTable: [UInt8] = {
    var table = (0..<0x80).map { UInt8($0) }
    for capital in UInt8(ascii: "A")...UInt8(ascii: "Z") { table[Int(capital)] = capital | 0x20 }
    for members in lookalikeClasses {
        members.withUTF8Buffer { bytes in
            for byte in bytes {
                table[Int(byte)] = bytes[0]
                if Rules.isLetter(byte) { table[Int(byte & ~0x20)] = bytes[0] }
            }
        }
    }
    return table
}()

extension PackedASCII {
    fileprivate mutating func replaceLast(with byte: UInt8) {
        self = slice(from: 0, length: count - 1)
        append(byte)
    }

    /// `rn` as `m` and `ci` (which is what `cl` folds to) as `d`, and the runs that this makes as one letter.
    fileprivate func pairsMerged() -> PackedASCII {
        var merged = PackedASCII()
        var index = 0
        while index < count {
            let symbol: UInt8
            switch (self[index], self[index + 1 < count ? index + 1 : Self.capacity]) {
            case (UInt8(ascii: "r"), UInt8(ascii: "n")): (symbol, index) = (UInt8(ascii: "m"), index + 2)
            case (UInt8(ascii: "c"), UInt8(ascii: "i")): (symbol, index) = (UInt8(ascii: "d"), index + 2)
            default: (symbol, index) = (self[index], index + 1)
            }
            if merged.isEmpty || merged[merged.count - 1] != symbol { merged.append(symbol) }
        }
        return merged
    }
}
