import HandleRules

/// A hash table with packed keys and linear probing, at most half full, built once.
///
/// Nearly all look-ups miss. A small Bloom filter in front, two bits of one word for each hash, answers all but one in
/// forty of them without touching the table.
struct PackedTable: Sendable {
    private var slots: [(key: PackedASCII, value: Int32)]
    private let mask: Int
    private var filter = [UInt64](repeating: 0, count: filterSize / 64)

    /// With some thousand keys one bit in seven is set; 8 KiB fit in the processor's L1 cache.
    private static let filterSize = 1 << 16

    /// The first value of a repeated key is kept.
    init(_ entries: [(key: PackedASCII, value: Int)]) {
        var capacity = 16
        while capacity < entries.count * 2 { capacity *= 2 }
        slots = Array(repeating: (PackedASCII(), -1), count: capacity)
        mask = capacity - 1
        for (key, value) in entries where self[key] == nil {
            let hash = Self.hash(key)
            filter[Self.filterWord(hash)] |= Self.filterBits(hash)
            var slot = hash & mask
            while slots[slot].value >= 0 { slot = (slot + 1) & mask }
            slots[slot] = (key, Int32(value))
        }
    }

    /// Whether the filter has a key.
    @inline(__always)
    func mayContain(_ key: PackedASCII) -> Bool { mayContain(hash: Self.hash(key)) }

    @inline(__always)
    private func mayContain(hash: Int) -> Bool {
        let bits = Self.filterBits(hash)
        return filter[Self.filterWord(hash)] & bits == bits
    }

    @inline(__always)
    subscript(key: PackedASCII) -> Int? {
        let hash = Self.hash(key)
        guard mayContain(hash: hash) else { return nil }
        var slot = hash & mask
        while slots[slot].value >= 0 {
            if slots[slot].key == key { return Int(slots[slot].value) }
            slot = (slot + 1) & mask
        }
        return nil
    }

    private static func filterWord(_ hash: Int) -> Int { (hash &>> 12) & (filterSize / 64 - 1) }
    private static func filterBits(_ hash: Int) -> UInt64 {
        1 &<< UInt64(truncatingIfNeeded: hash) | 1 &<< UInt64(truncatingIfNeeded: hash &>> 6)
    }

    /// Multiplies both words by odd constants (those of xxHash64), folds the high half down and takes the highest bits
    /// first. Of short keys, the lowest bits would depend on the last letters alone.
    private static func hash(_ key: PackedASCII) -> Int {
        let mixed = (key.high &* 0x9E37_79B1_85EB_CA87) ^ (key.low &* 0xC2B2_AE3D_27D4_EB4F)
        return Int(truncatingIfNeeded: (mixed ^ (mixed >> 32)).byteSwapped & 0x7FFF_FFFF)
    }
}
