import Glibc

/// Zeroed memory for one part of a ``DuplicateTable``; unmapped on deinit.
///
/// Mapped in huge pages where the system has them. Nearly every look-up touches another page, and with small pages the
/// processor spends as long on address translation as on reading.
final class SlotMemory {
    let slots: Slots
    /// For each slot, the number of rows of its group besides the first, up to 255.
    let counts: UnsafeMutableBufferPointer<UInt8>

    /// - Parameter capacity: number of slots, rounded down to whole cache lines.
    /// - Throws: ``BatchError`` when the system has not enough memory.
    init(capacity: Int) throws(BatchError) {
        let capacity = capacity / Slots.line * Slots.line
        slots = try Self.map(capacity, of: Slot.self)
        do {
            counts = try Self.map(capacity, of: UInt8.self)
        } catch {
            munmap(slots.baseAddress, capacity * MemoryLayout<Slot>.stride)
            throw error
        }
    }

    deinit {
        munmap(slots.baseAddress, slots.count * MemoryLayout<Slot>.stride)
        munmap(counts.baseAddress, counts.count)
    }

    /// Bytes for a slot and its count.
    static let bytesPerSlot = MemoryLayout<Slot>.stride + 1

    private static func map<Element>(
        _ count: Int, of type: Element.Type
    ) throws(BatchError) -> UnsafeMutableBufferPointer<Element> {
        let size = count * MemoryLayout<Element>.stride
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw BatchError(.tooLarge, "not enough memory for the names") }
        // Only a hint; the result does not matter.
        madvise(memory, size, MADV_HUGEPAGE)
        return UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: type), count: count)
    }
}

/// One name in 16 bytes; all zero for a free slot.
struct Slot: Sendable {
    /// 39 bits of the key's hash, then 25 bits of the name's hash.
    let print: UInt64
    /// 15 more bits of the name's hash, 15 bits for its capitals, and in the lowest 34 bits the line of its first
    /// occurrence.
    let place: UInt64

    static let lineBits: UInt64 = 34
    private static let keyBits: UInt64 = 39

    init(_ fingerprint: Fingerprint, line: Int) {
        let name = fingerprint.name >> Fingerprint.capitalBits
        print = fingerprint.key << (64 - Self.keyBits) | name & (1 << (64 - Self.keyBits) - 1)
        let more = name >> (64 - Self.keyBits) & (1 << (64 - Self.lineBits - Fingerprint.capitalBits) - 1)
        let capitals = fingerprint.name & (1 << Fingerprint.capitalBits - 1)
        place =
            more << (Self.lineBits + Fingerprint.capitalBits) | capitals << Self.lineBits
            | UInt64(line) & (1 << Self.lineBits - 1)
    }

    var isFree: Bool { place == 0 }
    var line: Int { Int(place & (1 << Self.lineBits - 1)) }

    func hasKey(of other: Slot) -> Bool { (print ^ other.print) >> (64 - Self.keyBits) == 0 }

    func hasName(of other: Slot) -> Bool {
        print == other.print && (place ^ other.place) >> (Self.lineBits + Fingerprint.capitalBits) == 0
    }

    func hasCapitals(of other: Slot) -> Bool { (place ^ other.place) >> Self.lineBits == 0 }
}
