/// The slots of one part of a ``DuplicateTable``, as hashes walk through them.
///
/// The walk of a hash begins at the first slot of a cache line and passes every slot from there on, up to a free one. So
/// a line is filled from its first slot to its last, and most walks end in their first line.
typealias Slots = UnsafeMutableBufferPointer<Slot>

extension Slots {
    /// Slots of a cache line.
    static let line = 64 / MemoryLayout<Slot>.stride

    /// The slot at which the walk of a name begins.
    @inline(__always)
    func home(of fingerprint: Fingerprint) -> Int {
        Int(truncatingIfNeeded: fingerprint.key.multipliedFullWidth(by: UInt64(count)).high) & ~(Self.line - 1)
    }

    @inline(__always)
    func next(after place: Int) -> Int { place + 1 == count ? 0 : place + 1 }

    /// The slot for a new name, if its first line has a free one and no slot with the name's key; else nil.
    ///
    /// The slots are counted without a branch, which would be mispredicted for most names.
    @inline(__always)
    func freeSlot(inLineAt home: Int, for new: Slot) -> Int? {
        var (used, alike) = (0, 0)
        for place in home..<home + Self.line {
            used += self[place].isFree ? 0 : 1
            alike += self[place].hasKey(of: new) ? 1 : 0
        }
        return used < Self.line && alike == 0 ? home + used : nil
    }

    /// Loads the first line of the walk of each name, and the second one if the first is full. No load waits for another
    /// name's, so the processor performs many at a time.
    /// - Returns: bits of the slots.
    @inline(__always)
    func touchLines(of names: UnsafeBufferPointer<IndexedName>) -> UInt64 {
        var bits: UInt64 = 0
        for name in names { bits |= self[home(of: name.fingerprint) + Self.line - 1].place }
        for name in names {
            let last = home(of: name.fingerprint) + Self.line - 1
            if !self[last].isFree { bits |= self[next(after: last)].place }
        }
        return bits
    }
}
