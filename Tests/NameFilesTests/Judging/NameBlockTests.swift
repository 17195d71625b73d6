import Glibc
import HandleCore
import Testing

@testable import NameFiles
@testable import RecordFiles

/// The vector code must read what ``PlainReading`` reads.
@Suite(.enabled(if: NameScanner.isAvailable)) struct NameBlockTests {
    /// Compares each name of a block with its reading.
    private func check(_ names: [[UInt8]], in bytes: UnsafeBufferPointer<UInt8>, from start: Int) {
        var block = NameBlock(scans: true)
        var (cells, end) = ([Records.Cell](), start)
        for name in names {
            cells.append(Records.Cell(start: end, count: name.count))
            end += name.count
        }
        cells.withUnsafeBufferPointer { block.read($0, in: bytes) }
        for (index, name) in names.enumerated() {
            // White space around a name is not trimmed by a block.
            let expected = name.isEmpty ? nil : PackedASCII(name).flatMap { PlainReading($0) }
            let isNearEnd = Int(cells[index].start) + 16 > bytes.count
            let found = block.reading(index)
            // Not with #expect, which takes longer than the reading.
            if found != (isNearEnd ? nil : expected) {
                Issue.record("\(name) was read as \(String(describing: found))")
            }
            if let found, block.handles[index] != found.letters.lowercased {
                Issue.record("\(name) has the handle \(block.handles[index])")
            }
        }
    }

    private func check(_ names: [[UInt8]]) {
        let bytes = names.flatMap { $0 } + [UInt8](repeating: UInt8(ascii: "x"), count: 16)
        bytes.withUnsafeBufferPointer { check(names, in: $0, from: 0) }
    }

    @Test func everyByteIsReadAtEveryPlace() {
        for length in 1...16 {
            for place in 0..<length {
                for byte in UInt8.min...UInt8.max {
                    var name = Array("johnDOE_12345678".utf8.prefix(length))
                    name[place] = byte
                    check([name])
                }
            }
        }
    }

    @Test func formsAreThoseOfSingleNames() {
        let names = [
            "", "a", "1", "_", "ab", "12", "__", "123", "_12", "1_2", "A", "AB", "999999999999999", "_______________",
        ]
        check(names.map { Array($0.utf8) } + [Array("abcdefghijklmnop".utf8)])
    }

    /// The bytes end where the memory ends, so that a read behind them would stop the test.
    @Test func noByteIsReadBehindTheLastOne() throws {
        let page = Int(getpagesize())
        let memory = try #require(mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        defer { munmap(memory, 2 * page) }
        memset(memory, Int32(UInt8(ascii: "a")), page)
        try #require(mprotect(memory + page, page, PROT_NONE) == 0)
        let bytes = UnsafeBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: page)
        for length in 1...15 {
            for space in 0...16 {
                check([[UInt8](repeating: UInt8(ascii: "a"), count: length)], in: bytes, from: page - length - space)
            }
        }
    }
}
