/// Steps 1, 3 and 4 of ``LookalikeKey`` as a state table: the symbols to write for each state and input symbol.
///
/// The table is generated from ``KeyState``, which holds the rules in readable form. The walk has no branches: a
/// processor would mispredict about every second letter of a name.
struct KeyTable: Sendable {
    static let shared = KeyTable()

    /// Indexed by state and the low five bits of a symbol. Bits 0–11: where the next state begins. Bits 12–15: the
    /// number of symbols to write, at most two. Bits 16–31: these symbols, the first in the lower byte.
    private let steps: [UInt32]
    /// The folded form of each ASCII byte.
    private let folds = (0..<0x80).map { PackedASCII.fold($0) }

    /// Five bits tell folded symbols apart: letters are 1–26, the underscore is 31, and 0 is the end of the name.
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
                default: break  // The underscore, and values that are no symbol.
                }
                let index = states.firstIndex(of: state) ?? states.count
                if index == states.count { states.append(state) }
                precondition(written.count <= 2 && index < 1 << (12 - Self.symbolBits), "a step has no more room")
                let output = written.reversed().reduce(0) { $0 << 8 | UInt32($1) }
                steps.append(UInt32(index << Self.symbolBits) | UInt32(written.count) << 12 | output << 16)
            }
            next += 1
        }
        self.steps = steps
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
        for index in names.indices { folded[index] = PackedASCII() }
        withUnsafeTemporaryAllocation(byteCount: names.count * Lane.room, alignment: 8) { written in
            guard let written = written.baseAddress else { return }
            steps.withUnsafeBufferPointer { steps in
                folds.withUnsafeBufferPointer { folds in
                    var index = 0
                    while index < names.count {
                        let group = Group(
                            letters: first + index * MemoryLayout<PackedASCII>.size,
                            folded: UnsafeMutableRawPointer(folded + index), written: written + index * Lane.room,
                            steps: steps, folds: folds)
                        if index + 4 <= names.count {
                            group.walkFour()
                            index += 4
                        } else {
                            group.walkOne()
                            index += 1
                        }
                    }
                }
            }
            for index in names.indices {
                let start = written + index * Lane.room
                let count = start.load(fromByteOffset: Lane.room - 1, as: UInt8.self)
                keys[index] = PackedASCII(padded: start, count: Int(count))
            }
        }
    }

    /// Names that are walked together, and the buffers for the results.
    private struct Group {
        let letters: UnsafeRawPointer
        let folded: UnsafeMutableRawPointer
        let written: UnsafeMutableRawPointer
        let steps: UnsafeBufferPointer<UInt32>
        let folds: UnsafeBufferPointer<UInt8>

        func walkFour() {
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

        func walkOne() {
            var lane = Lane(number: 0)
            for place in 0..<lane.count(self) { lane.step(PackedASCII.offset(of: place), self) }
            lane.end(self)
        }
    }

    /// One name of a group.
    private struct Lane {
        let number: Int
        /// Symbols written so far.
        private var count = 0
        private var state: UInt32 = 0

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
            let symbol = group.folds[Int(byte & 0x7F)]
            group.folded.storeBytes(of: symbol, toByteOffset: number * 16 + offset, as: UInt8.self)
            take(symbol, group)
        }

        @inline(__always)
        mutating func end(_ group: Group) {
            take(0, group)
            let size = UInt8(truncatingIfNeeded: count(group))
            group.folded.storeBytes(of: size, toByteOffset: number * 16 + PackedASCII.offset(of: 15), as: UInt8.self)
            let end = number * Self.room + Self.room - 1
            group.written.storeBytes(of: UInt8(truncatingIfNeeded: count), toByteOffset: end, as: UInt8.self)
        }

        @inline(__always)
        private mutating func take(_ symbol: UInt8, _ group: Group) {
            let step = group.steps[Int(truncatingIfNeeded: state | UInt32(symbol & KeyTable.symbolMask))]
            // Always writes two symbols; the next write overwrites those that don't count.
            let symbols = UInt16(truncatingIfNeeded: step &>> 16).littleEndian
            group.written.storeBytes(of: symbols, toByteOffset: number * Self.room + count, as: UInt16.self)
            count &+= Int(truncatingIfNeeded: step &>> 12 & 0xF)
            state = step & 0xFFF
        }
    }
}

/// The state while a key is written: runs become one symbol, and the pairs `rn` and `ci` become one letter.
private struct KeyState: Equatable {
    /// The symbol before this one, to detect runs; 0 at the start.
    private var previous: UInt8 = 0
    /// The last symbol of the key; 0 at the start, and where it has no effect.
    private var last: UInt8 = 0
    /// An `r` or `c` that may begin a pair; 0 if there is none.
    private var pending: UInt8 = 0

    mutating func add(_ symbol: UInt8, write: (UInt8) -> Void) {
        switch symbol {
        case UInt8(ascii: "m"):
            add(one: UInt8(ascii: "r"), write)
            add(one: UInt8(ascii: "n"), write)
        // `cl` folds to `ci`.
        case UInt8(ascii: "d"):
            add(one: UInt8(ascii: "c"), write)
            add(one: UInt8(ascii: "i"), write)
        // `vv`; its run becomes one letter.
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
        // Only the pair's letter, or the first letter of the pair, could be dropped as a run.
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
