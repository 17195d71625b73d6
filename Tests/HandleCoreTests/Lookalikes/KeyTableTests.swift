import Testing

@testable import HandleCore

/// Computes the look-alike key symbol by symbol, with a branch for each rule. The table must agree with it.
private struct KeyWriter {
    private var key = PackedASCII()
    /// The previous symbol, to detect runs; 0 at the beginning.
    private var previous: UInt8 = 0
    /// The last symbol of the key; 0 at the beginning.
    private var last: UInt8 = 0
    /// An `r` or `c` that may be the first of a pair; 0 when there is none.
    private var pending: UInt8 = 0

    static func key(of letters: PackedASCII) -> PackedASCII {
        var writer = KeyWriter()
        let folded = letters.folded
        for index in 0..<folded.count {
            switch folded[index] {
            case UInt8(ascii: "_"): continue
            case UInt8(ascii: "m"):
                writer.add(UInt8(ascii: "r"))
                writer.add(UInt8(ascii: "n"))
            case UInt8(ascii: "d"):
                writer.add(UInt8(ascii: "c"))
                writer.add(UInt8(ascii: "i"))
            case UInt8(ascii: "w"): writer.add(UInt8(ascii: "v"))
            case let symbol: writer.add(symbol)
            }
        }
        if writer.pending != 0 { writer.write(writer.pending) }
        return writer.key
    }

    private mutating func add(_ symbol: UInt8) {
        if symbol == previous { return }
        previous = symbol
        let pair: UInt8? =
            switch (pending, symbol) {
            case (UInt8(ascii: "r"), UInt8(ascii: "n")): UInt8(ascii: "m")
            case (UInt8(ascii: "c"), UInt8(ascii: "i")): UInt8(ascii: "d")
            default: nil
            }
        if let pair {
            pending = 0
            return write(pair)
        }
        if pending != 0 { write(pending) }
        pending = 0
        if symbol == UInt8(ascii: "r") || symbol == UInt8(ascii: "c") { pending = symbol } else { write(symbol) }
    }

    private mutating func write(_ symbol: UInt8) {
        if last != symbol { key.append(symbol) }
        last = symbol
    }
}

@Suite struct KeyTableTests {
    /// All names of up to five letters, from the letters that form pairs and runs.
    @Test func tableAgreesWithTheWriterOnAllShortNames() {
        let alphabet = Array("rnmclidwv_a".utf8)
        var names: [PackedASCII] = [PackedASCII()]
        var longest = names
        for _ in 0..<5 {
            longest = longest.flatMap { name in
                alphabet.map { letter in
                    var longer = name
                    longer.append(letter)
                    return longer
                }
            }
            names += longest
        }
        let differing = names.filter { LookalikeKey($0).letters != KeyWriter.key(of: $0) }
        #expect(names.count > 160_000)
        #expect(differing.isEmpty)
    }

    @Test func tableAgreesWithTheWriterOnLongNames() {
        var random = SeededGenerator(seed: 3)
        let alphabet = Array("rnmclidwv_abdefghjkopqstuxyz0123456789RNMCLID".utf8)
        for _ in 0..<100_000 {
            let few = random.next() % 2 == 0
            let bytes = (0..<Int.random(in: 0...15, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<(few ? 9 : alphabet.count), using: &random)]
            }
            guard let name = PackedASCII(bytes) else { continue }
            #expect(LookalikeKey(name).letters == KeyWriter.key(of: name))
        }
    }
}
