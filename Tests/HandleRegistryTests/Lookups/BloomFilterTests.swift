import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

@Suite struct BloomFilterTests {
    private func handles(_ prefix: String, _ count: Int) throws -> [Handle] {
        try (0..<count).map { try handle("\(prefix)\($0)") }
    }

    @Test(arguments: [1, 100, 65_536]) func filterFindsEachHandleOfItsCapacityAndFewOthers(capacity: Int) throws {
        var filter = BloomFilter(capacity: capacity, atMost: .max)
        let others = try handles("other", 20_000)
        #expect(!others.contains(where: filter.mayContain))
        let inserted = try handles("in", capacity)
        for handle in inserted { filter.insert(handle) }
        #expect(inserted.allSatisfy(filter.mayContain))
        let mistakes = others.count(where: filter.mayContain)
        #expect(mistakes < 20_000 / 50, "\(mistakes)")
        #expect(filter.bytes <= capacity * 10 / 8 + 64)
    }

    @Test func handleThatIsInsertedAgainTakesNoRoom() throws {
        var filter = BloomFilter(capacity: 1000, atMost: .max)
        for _ in 0..<100 { for handle in try handles("in", 100) { filter.insert(handle) } }
        #expect(!filter.isFull)
    }

    @Test func filterIsFullBeyondItsCapacityAndWornFarBeyondIt() throws {
        var filter = BloomFilter(capacity: 10_000, atMost: .max)
        let handles = try handles("in", 30_000)
        for handle in handles.prefix(9_000) { filter.insert(handle) }
        #expect(!filter.isFull && !filter.isWorn)
        for handle in handles.prefix(11_000) { filter.insert(handle) }
        #expect(filter.isFull && !filter.isWorn)
        for handle in handles { filter.insert(handle) }
        #expect(filter.isFull && filter.isWorn)
    }

    @Test func filterTakesAtMostTheAllowedMemory() {
        #expect(BloomFilter(capacity: 1_000_000, atMost: 100_000).bytes <= 100_000)
        #expect(BloomFilter(capacity: 1_000_000, atMost: 100_000).bytes > 99_900)
        let filter = BloomFilter(capacity: 8000, atMost: .max)
        #expect(filter.canGrow(to: 2 * filter.bytes))
        #expect(!filter.canGrow(to: 2 * filter.bytes - 1))
    }
}
