import HandleRules
import HandleWords

/// A set of handles that answers "may it contain this one?". "No" is certain; "yes" is wrong for one handle in a hundred.
///
/// The bits of a handle are in one block of 64 bytes, so a question reads one line of the processor's cache (Putze,
/// Sanders and Singler 2007).
struct BloomFilter: Sendable {
    private var words: [UInt64]
    private var bitsSet = 0

    private static let wordsInBlock = 8
    /// With these two numbers half of the bits are set when the set is full.
    private static let (roomOfHandle, bitsOfHandle) = (10, 7)

    /// An empty set with room for `capacity` handles.
    /// - Parameter limit: the most bytes of memory; with fewer than the room needs, more answers are wrong.
    init(capacity: Int, atMost limit: Int) {
        let bytesOfBlock = Self.wordsInBlock * 8
        let blocks = min(capacity * Self.roomOfHandle / 8 / bytesOfBlock + 1, limit / bytesOfBlock)
        words = Array(repeating: 0, count: max(blocks, 1) * Self.wordsInBlock)
    }

    /// The memory in bytes.
    var bytes: Int { words.count * 8 }
    /// True if there is no room for further handles: more than half of the bits are set.
    var isFull: Bool { bitsSet > words.count * 32 }
    /// True if a filter with twice the room takes at most `limit` bytes.
    func canGrow(to limit: Int) -> Bool { bytes * 2 <= limit }
    /// True if more than three quarters of the bits are set: one answer in eight is wrong.
    var isWorn: Bool { bitsSet > words.count * 48 }

    mutating func insert(_ handle: Handle) {
        var (start, choice) = block(of: handle)
        for _ in 0..<Self.bitsOfHandle {
            let bit = Self.bit(choice)
            if words[start + bit.word] & bit.mask == 0 { bitsSet += 1 }
            words[start + bit.word] |= bit.mask
            choice >>= 9
        }
    }

    func mayContain(_ handle: Handle) -> Bool {
        var (start, choice) = block(of: handle)
        for _ in 0..<Self.bitsOfHandle {
            let bit = Self.bit(choice)
            if words[start + bit.word] & bit.mask == 0 { return false }
            choice >>= 9
        }
        return true
    }

    /// The first word of a handle's block, and a number that chooses its bits there.
    private func block(of handle: Handle) -> (start: Int, choice: UInt64) {
        var hashes = handle.hashes
        let blocks = UInt64(words.count / Self.wordsInBlock)
        return (Int(hashes.next().multipliedFullWidth(by: blocks).high) * Self.wordsInBlock, hashes.next())
    }

    /// The bit of a block that the lowest nine bits of `choice` choose.
    private static func bit(_ choice: UInt64) -> (word: Int, mask: UInt64) {
        (Int(choice >> 6 & 7), 1 << (choice & 63))
    }
}
