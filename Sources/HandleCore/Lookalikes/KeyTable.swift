/// Steps 1, 3 and 4 of ``LookalikeKey`` as a state table: the symbols to write for each state and byte of a name.
///
/// The table is generated from ``KeyState``, which holds the rules in readable form. The walk has no branches: a
/// processor would mispredict about every second letter of a name.
struct KeyTable: Sendable {
    static let shared = KeyTable()

    /// Indexed by state and ASCII byte. Bits 0–15: where the next state begins. Bits 16–23: the number of symbols to
    /// write, at most two. Bits 24–31: the folded byte. Bits 32–47: the symbols, the first in the lower byte. Bits 48–63:
    /// the same symbols, the last in the lower byte.
    private let steps: [UInt64]

    /// The number of ASCII bytes.
    private static let stateSize = 0x80

    private init() {
        steps = KeyState.allCases.flatMap { state in
            (0..<UInt8(Self.stateSize)).map { byte in
                let folded = PackedASCII.fold(byte)
                var next = state
                var written: [UInt8] = []
                switch folded {
                case 0: next.end { written.append($0) }
                case Rules.underscore: break
                default: next.add(folded) { written.append($0) }
                }
                precondition(written.count <= 2, "a step has room for two symbols")
                let symbols = written.reversed().reduce(0) { $0 << 8 | UInt64($1) }
                let inOrder = written.reduce(0) { $0 << 8 | UInt64($1) }
                let base = UInt64(Int(next.rawValue) * Self.stateSize)
                return base | UInt64(written.count) << 16 | UInt64(folded) << 24 | symbols << 32 | inOrder << 48
            }
        }
    }

    /// Folds names and finds their keys. Four names are walked side by side: each step depends on the one before, so
    /// with a single name the processor would mostly wait.
    /// - Parameters:
    ///   - folded: room for `names.count` folded names.
    ///   - keys: room for `names.count` keys.
    func walk(
        _ names: UnsafeBufferPointer<PackedASCII>, folded: UnsafeMutablePointer<PackedASCII>,
        keys: UnsafeMutablePointer<PackedASCII>
    ) {
        guard let first = UnsafeRawPointer(names.baseAddress) else { return }
        let grouped = names.count & ~3
        for index in 0..<grouped { folded[index] = PackedASCII() }
        withUnsafeTemporaryAllocation(byteCount: grouped * Lane.room, alignment: 8) { written in
            guard let written = written.baseAddress else { return }
            steps.withUnsafeBufferPointer { steps in
                for index in stride(from: 0, to: grouped, by: 4) {
                    let group = Group(
                        letters: first + index * MemoryLayout<PackedASCII>.size,
                        folded: UnsafeMutableRawPointer(folded + index), written: written + index * Lane.room,
                        steps: steps)
                    group.walk()
                }
            }
            for index in 0..<grouped {
                let start = written + index * Lane.room
                let count = start.load(fromByteOffset: Lane.room - 1, as: UInt8.self)
                keys[index] = PackedASCII(padded: start, count: Int(count))
            }
        }
        for index in grouped..<names.count { (folded[index], keys[index]) = walk(names[index]) }
    }

    /// The key of a single name.
    func key(of name: PackedASCII) -> PackedASCII { walk(name).key }

    /// Folds a single name and finds its key.
    @inline(__always)
    func walk(_ name: PackedASCII) -> (folded: PackedASCII, key: PackedASCII) {
        steps.withUnsafeBufferPointer { steps in
            var (high, low) = (name.high, name.low)
            var (folded, key) = (Written(), Written())
            var state: UInt64 = 0
            for _ in 0..<name.count {
                let step = steps[Int(truncatingIfNeeded: state | high &>> 56)]
                (high, low) = (high &<< 8 | low &>> 56, low &<< 8)
                folded.append(step &>> 24 & 0xFF, count: 1)
                key.append(step &>> 48, count: step &>> 16 & 0xFF)
                state = step & 0xFFFF
            }
            let end = steps[Int(truncatingIfNeeded: state)]
            key.append(end &>> 48, count: end &>> 16 & 0xFF)
            return (folded.letters, key.letters)
        }
    }

    /// Symbols that are written one behind the other, without a branch.
    private struct Written {
        private var (high, low): (UInt64, UInt64) = (0, 0)
        private var count: UInt64 = 0

        /// - Parameter symbols: the first in the highest of `count` bytes, at most two.
        @inline(__always)
        mutating func append(_ symbols: UInt64, count: UInt64) {
            let shift = 8 &* count
            // In two halves, because `&>>` by 64 would change nothing.
            let half = 32 &- shift / 2
            high = high &<< shift | (low &>> half) &>> half
            low = low &<< shift | symbols
            self.count &+= count
        }

        /// Moves the symbols to the highest bytes.
        @inline(__always)
        var letters: PackedASCII {
            let shift = 128 - 8 * count
            // Swift's `<<` and `>>` give zero for shifts of 64 and more, and shift the other way for negative ones.
            return PackedASCII(high: high << shift | low << (Int(shift) - 64), low: low << shift | count)
        }
    }

    /// Four names that are walked together, and the buffers for the results.
    private struct Group {
        let letters: UnsafeRawPointer
        let folded: UnsafeMutableRawPointer
        let written: UnsafeMutableRawPointer
        let steps: UnsafeBufferPointer<UInt64>

        func walk() {
            var (a, b, c, d) = (Lane(number: 0), Lane(number: 1), Lane(number: 2), Lane(number: 3))
            for place in 0..<max(max(a.count(self), b.count(self)), max(c.count(self), d.count(self))) {
                let offset = PackedASCII.offset(of: place)
                a.step(offset, self)
                b.step(offset, self)
                c.step(offset, self)
                d.step(offset, self)
            }
            a.end(self)
            b.end(self)
            c.end(self)
            d.end(self)
        }
    }

    /// One name of a group.
    private struct Lane {
        let number: Int
        /// Symbols written so far.
        private var count = 0
        private var state: UInt64 = 0

        /// Bytes of the buffer for one key: 15 symbols, one symbol written past them, and the count in the last byte.
        static let room = 24

        @inline(__always)
        init(number: Int) { self.number = number }

        /// The number of bytes in the name.
        @inline(__always)
        func count(_ group: Group) -> Int {
            Int(group.letters.load(fromByteOffset: number * 16 + PackedASCII.offset(of: 15), as: UInt8.self))
        }

        /// Takes one byte of the name. Bytes past its end are zero: the first ends the key, the others do nothing.
        @inline(__always)
        mutating func step(_ offset: Int, _ group: Group) {
            let byte = group.letters.load(fromByteOffset: number * 16 + offset, as: UInt8.self)
            let folded = take(byte, group)
            group.folded.storeBytes(of: folded, toByteOffset: number * 16 + offset, as: UInt8.self)
        }

        @inline(__always)
        mutating func end(_ group: Group) {
            _ = take(0, group)
            let size = UInt8(truncatingIfNeeded: count(group))
            group.folded.storeBytes(of: size, toByteOffset: number * 16 + PackedASCII.offset(of: 15), as: UInt8.self)
            let end = number * Self.room + Self.room - 1
            group.written.storeBytes(of: UInt8(truncatingIfNeeded: count), toByteOffset: end, as: UInt8.self)
        }

        /// - Returns: the folded byte.
        @inline(__always)
        private mutating func take(_ byte: UInt8, _ group: Group) -> UInt8 {
            let step = group.steps[Int(truncatingIfNeeded: state | UInt64(byte & 0x7F))]
            // Always writes two symbols; the next write overwrites those that don't count.
            let symbols = UInt16(truncatingIfNeeded: step &>> 32).littleEndian
            group.written.storeBytes(of: symbols, toByteOffset: number * Self.room + count, as: UInt16.self)
            count &+= Int(truncatingIfNeeded: step &>> 16 & 0xFF)
            state = step & 0xFFFF
            return UInt8(truncatingIfNeeded: step &>> 24)
        }
    }
}

/// A symbol of the name that waits for the next one, because the two may become one letter of the key.
private enum KeyState: UInt8, CaseIterable {
    case none, r, c, v

    /// Takes one folded symbol. `m`, `d` and `w` stand for `rn`, `ci` and `vv`.
    mutating func add(_ symbol: UInt8, write: (UInt8) -> Void) {
        switch (self, symbol) {
        case (.r, UInt8(ascii: "n")): join(as: UInt8(ascii: "m"), write)
        // `cl` folds to `ci`.
        case (.c, UInt8(ascii: "i")): join(as: UInt8(ascii: "d"), write)
        case (.v, UInt8(ascii: "v")): join(as: UInt8(ascii: "w"), write)
        // The first of three: two of them are written, and one waits.
        case (.v, UInt8(ascii: "w")): write(symbol)
        default:
            end(write: write)
            switch symbol {
            case UInt8(ascii: "r"): self = .r
            case UInt8(ascii: "c"): self = .c
            case UInt8(ascii: "v"): self = .v
            default: write(symbol)
            }
        }
    }

    /// Writes the symbol that waits.
    mutating func end(write: (UInt8) -> Void) {
        switch self {
        case .none: break
        case .r: write(UInt8(ascii: "r"))
        case .c: write(UInt8(ascii: "c"))
        case .v: write(UInt8(ascii: "v"))
        }
        self = .none
    }

    private mutating func join(as letter: UInt8, _ write: (UInt8) -> Void) {
        write(letter)
        self = .none
    }
}
