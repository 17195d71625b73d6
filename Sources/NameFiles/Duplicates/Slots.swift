import CProcessor

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

    /// Begins to load the first lines of the walks of some names.
    @inline(__always)
    func prefetchHomes(of names: UnsafeBufferPointer<IndexedName>) {
        guard let start = baseAddress else { return }
        for name in names { processor_prefetch(start + home(of: name.fingerprint)) }
    }

    /// Begins to load the second line of each walk with a full first one.
    @inline(__always)
    func prefetchBehindFullLines(of names: UnsafeBufferPointer<IndexedName>) {
        guard let start = baseAddress else { return }
        for name in names {
            let last = start + home(of: name.fingerprint) + Self.line - 1
            processor_prefetch(last.pointee.isFree ? last : last + 1)
        }
    }
}
