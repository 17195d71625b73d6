import HandleRules
import HandleWords
import Testing

@testable import NameFiles

/// A search of eight bytes at a time finds the same bytes as a loop over single bytes, with any bytes behind the end.
@Suite struct ByteSearchTests {
    @Test func searchFindsTheBytesThatALoopFinds() {
        var generator = SeededGenerator(seed: 3)
        for count in 0..<300 {
            // Bytes that differ in one bit from the searched ones, and bytes that cause a carry.
            let bytes = (0..<count + 80).map { _ -> UInt8 in
                [0x0A, 0x0D, 0x0B, 0x09, 0x8A, 0x00, 0x80, 0xFF, 0x01, 0x22].randomElement(using: &generator) ?? 0
            }
            let start = Int.random(in: 0...count, using: &generator)
            bytes.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                let search = ByteSearch(base)
                for byte: UInt8 in [0x0A, 0x0D, 0x22, 0x00, 0x80] {
                    let places = (0..<count).filter { bytes[$0] == byte }
                    #expect(search.first(byte, from: start, to: count) == places.first { $0 >= start } ?? count)
                }
                let lineFeeds = (start..<count).count { bytes[$0] == 0x0A }
                #expect(search.lineEnds(from: start, to: count, returns: false) == lineFeeds)
                let returns = (start..<count).count { bytes[$0] == 0x0D && bytes[$0 + 1] != 0x0A }
                #expect(search.lineEnds(from: start, to: count, returns: true) == lineFeeds + returns)
            }
        }
    }
}
