/// Steps 1, 3 and 4 of ``LookalikeKey`` as a table: what to write for each symbol, by what came before.
///
/// The table is made from ``KeyState``, which says the same in words. Walking it takes no branch, which a processor
/// would guess wrong for every other letter of a name.
struct KeyTable: Sendable {
    static let shared = KeyTable()

    /// By state and the low five bits of a symbol. The next state is in the lowest byte, the number of bits written in
    /// the second, and what is written, up to two symbols, in the upper half.
    private let steps: [UInt32]

    /// Five bits tell folded symbols apart: letters have 1–26, the underscore 31; 0 stands for the end.
    private static let symbolBits = 5
    private static let symbolMask: UInt8 = 0x1F

    private init() {
        var states = [KeyState()]
        var steps: [UInt32] = []
        var next = 0
        while next < states.count {
            for low in 0...Self.symbolMask {
                var state = states[next]
                var written: [UInt8] = []
                switch low {
                case 0: state.end { written.append($0) }
                case 1...26: state.add(low | 0x60) { written.append($0) }
                default: break  // The underscore, and what is no symbol.
                }
                let index = states.firstIndex(of: state) ?? states.count
                if index == states.count { states.append(state) }
                precondition(written.count <= 2 && index <= 0xFF, "a step has room for two symbols and a state's byte")
                let output = written.reduce(0) { $0 << 8 | UInt32($1) }
                steps.append(UInt32(index) | UInt32(written.count * 8) << 8 | output << 16)
            }
            next += 1
        }
        self.steps = steps
    }

    /// The letters ``PackedASCII/folded``, and their key.
    func walk(_ letters: PackedASCII) -> (folded: PackedASCII, key: PackedASCII) {
        steps.withUnsafeBufferPointer { steps in
            var rest = (letters.high, letters.low)
            // What is written so far, in the lowest places.
            var folded: (high: UInt64, low: UInt64) = (0, 0)
            var key: (high: UInt64, low: UInt64) = (0, 0)
            var keyBits: UInt64 = 0
            var state: UInt32 = 0
            for _ in 0..<letters.count {
                let symbol = PackedASCII.fold(UInt8(truncatingIfNeeded: rest.0 &>> 56))
                rest = (rest.0 &<< 8 | rest.1 &>> 56, rest.1 &<< 8)
                folded = (folded.high &<< 8 | folded.low &>> 56, folded.low &<< 8 | UInt64(symbol))
                let step = steps[Int(state &<< 5 | UInt32(symbol & Self.symbolMask))]
                state = step & 0xFF
                let width = UInt64(step &>> 8 & 0xFF)
                // Two shifts, as a shift by 64 would be one by 0.
                key = (key.high &<< width | (key.low &>> 1) &>> (63 &- width), key.low &<< width | UInt64(step &>> 16))
                keyBits &+= width
            }
            let end = steps[Int(state &<< 5)]
            let width = UInt64(end &>> 8 & 0xFF)
            key = (key.high &<< width | (key.low &>> 1) &>> (63 &- width), key.low &<< width | UInt64(end &>> 16))
            keyBits &+= width
            return (
                PackedASCII(lowestPlaces: folded, count: letters.count),
                PackedASCII(lowestPlaces: key, count: Int(keyBits &>> 3))
            )
        }
    }
}

/// What has to be known of the symbols before to write the key: runs become one symbol, and the pairs `rn` and `ci` one
/// letter.
private struct KeyState: Equatable {
    /// The symbol before, to see runs; 0 at the beginning.
    private var previous: UInt8 = 0
    /// The last symbol of the key; 0 at the beginning, and where it can't matter.
    private var last: UInt8 = 0
    /// An `r` or `c` that may be the first of a pair; 0 when there is none.
    private var pending: UInt8 = 0

    mutating func add(_ symbol: UInt8, write: (UInt8) -> Void) {
        switch symbol {
        case UInt8(ascii: "m"):
            add(one: UInt8(ascii: "r"), write)
            add(one: UInt8(ascii: "n"), write)
        // What `cl` folds to.
        case UInt8(ascii: "d"):
            add(one: UInt8(ascii: "c"), write)
            add(one: UInt8(ascii: "i"), write)
        // `vv`, whose run is one letter.
        case UInt8(ascii: "w"): add(one: UInt8(ascii: "v"), write)
        default: add(one: symbol, write)
        }
    }

    mutating func end(write: (UInt8) -> Void) {
        if pending != 0 { append(pending, write) }
        self = KeyState()
    }

    private mutating func add(one symbol: UInt8, _ write: (UInt8) -> Void) {
        if symbol == previous { return }
        previous = symbol
        switch (pending, symbol) {
        case (UInt8(ascii: "r"), UInt8(ascii: "n")): return append(pairAs: UInt8(ascii: "m"), write)
        case (UInt8(ascii: "c"), UInt8(ascii: "i")): return append(pairAs: UInt8(ascii: "d"), write)
        case (0, _): break
        default: append(pending, write)
        }
        switch symbol {
        // Only the letter that the pair would be, or the pair's first itself, could be dropped as a run.
        case UInt8(ascii: "r"): wait(for: symbol, lettersThatMatter: [symbol, UInt8(ascii: "m")])
        case UInt8(ascii: "c"): wait(for: symbol, lettersThatMatter: [symbol, UInt8(ascii: "d")])
        default:
            pending = 0
            append(symbol, write)
        }
    }

    private mutating func wait(for first: UInt8, lettersThatMatter: [UInt8]) {
        pending = first
        if !lettersThatMatter.contains(last) { last = 0 }
    }

    private mutating func append(pairAs letter: UInt8, _ write: (UInt8) -> Void) {
        pending = 0
        append(letter, write)
    }

    private mutating func append(_ symbol: UInt8, _ write: (UInt8) -> Void) {
        if last != symbol { write(symbol) }
        last = symbol
    }
}
