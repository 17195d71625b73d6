import CountingMalloc
import HandleRegistry
import HandleRules
import HandleWords

/// Validation on one core: reading a name and looking for reserved words and their disguises. Prints names a second and
/// allocations, for valid names and for a mixture with all kinds of faults.
struct ValidationBench {
    private let words: ReservedWords
    private var random = SeededGenerator(seed: 1)

    static func run() throws {
        var bench = ValidationBench(words: try .builtIn())
        bench.measure("valid names", bench.validNames(), rounds: 20)
        bench.measure("mixed names", bench.mixedNames(), rounds: 20)
    }

    /// Validates every name `rounds` times and prints the speed.
    private func measure(_ label: String, _ names: [String], rounds: Int) {
        // One buffer with all the names, as a file would be.
        let bytes = names.flatMap { Array($0.utf8) }
        var ranges: [Range<Int>] = []
        for name in names {
            let start = ranges.last?.upperBound ?? 0
            ranges.append(start..<start + name.utf8.count)
        }
        var fine = 0
        let allocationsBefore = counting_malloc_count()
        let start = ContinuousClock.now
        bytes.withUnsafeBufferPointer { buffer in
            for _ in 0..<rounds {
                for range in ranges where isFine(UnsafeBufferPointer(rebasing: buffer[range])) { fine += 1 }
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let allocations = counting_malloc_count() - allocationsBefore
        let count = rounds * names.count
        let rate = Int(Double(count) / seconds)
        print("\(label): \(rate) names/s on one core, \(allocations) allocations for \(count) names, \(fine) fine")
    }

    private func isFine(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let reading = Reading(ascii: name), let letters = reading.letters else { return false }
        return words.match(letters) == nil && reading.isWellFormed
    }

    // MARK: The names

    private static let letters = "abcdefghijklmnopqrstuvwxyz"

    private mutating func validNames() -> [String] {
        (0..<100_000).map { _ in name(Self.letters + Self.letters + "_0123456789", 5...13) }
            .filter { Handle($0) != nil }
    }

    private mutating func mixedNames() -> [String] {
        (0..<100_000).map { number in
            switch number % 5 {
            case 0: name(Self.letters, 1...20)
            case 1: name("0123456789", 2...9)
            case 2: "_" + name(Self.letters, 2...12)
            case 3: ["adm1n", "real_support", "g00gle", "admin_team", "login", "rnoderator"][number % 6]
            default: name(Self.letters.uppercased() + Self.letters, 3...15)
            }
        }
    }

    /// Random letters of `alphabet`, with a length in `length`.
    private mutating func name(_ alphabet: String, _ length: ClosedRange<Int>) -> String {
        let characters = Array(alphabet)
        let count = Int.random(in: length, using: &random)
        return String((0..<count).map { _ in characters[Int.random(in: 0..<characters.count, using: &random)] })
    }
}
