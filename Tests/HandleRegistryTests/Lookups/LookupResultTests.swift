import Foundation
import HandleRules
import HandleWords
import TestSupport
import Testing

@testable import HandleRegistry

@Suite struct LookupResultTests {
    /// The database answers in any order, and a result may have more handles than were asked about.
    @Test(arguments: [0, 1, 2, 7, 100]) func resultKnowsEachHandleInAnyOrderOfTheRows(count: Int) throws {
        let now = Date(timeIntervalSince1970: 0)
        var random = SeededGenerator(seed: UInt64(count))
        let handles = try (0..<count).map { try handle("olga_\($0)x") }
        let names = handles.map { (handle: $0, known: KnownName(reservedFor: Owner($0.description))) }
        let entries = handles.map { LookalikeEntry(key: LookalikeKey($0), now: now) }
        let result = LookupResult(names.shuffled(using: &random), entries.shuffled(using: &random))
        for handle in handles {
            let known = result.known(about: handle)
            #expect(known.owner?.id == handle.description && known.lookalike?.key == LookalikeKey(handle))
        }
        for text in ["aaa", "olga", "olga_0", "olga_0y", "olga_999x", "zzz"] {
            let known = result.known(about: try handle(text))
            #expect(known.state == nil && known.lookalike == nil)
        }
    }
}
