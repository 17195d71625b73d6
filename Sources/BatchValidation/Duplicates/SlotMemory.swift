import Glibc

/// Zeroed memory for a part of the table of names, given back when it goes.
///
/// Mapped, and in large pages where the system has them: nearly every look-up goes to another page, and with small
/// ones the processor spends as long on finding the page as on reading it.
final class SlotMemory {
    let slots: UnsafeMutableBufferPointer<Slot>
    /// How many rows the group of a slot has besides the first, up to 255.
    let counts: UnsafeMutableBufferPointer<UInt8>

    /// - Throws: ``BatchError`` when the system has no such memory.
    init(capacity: Int) throws(BatchError) {
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

    /// What a slot takes.
    static let bytesPerSlot = MemoryLayout<Slot>.stride + 1

    private static func map<Element>(
        _ count: Int, of type: Element.Type
    ) throws(BatchError) -> UnsafeMutableBufferPointer<Element> {
        let size = count * MemoryLayout<Element>.stride
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw BatchError(.tooLarge, "not enough memory for the names") }
        // Advice that the system need not take.
        madvise(memory, size, MADV_HUGEPAGE)
        return UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: type), count: count)
    }
}

/// One name in 16 bytes; all zero when there is none.
struct Slot: Sendable {
    /// 39 bits of the key's hash above 25 of the name's.
    let print: UInt64
    /// 15 more bits of the name's hash, its capitals, and in the lowest 34 bits the line where it was first.
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
