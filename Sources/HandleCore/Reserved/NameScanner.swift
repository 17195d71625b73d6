import CProcessor

/// Looks at many names with vector instructions. It finds the same keys and suspicions as
/// ``ReservedWords/suspicions(of:_:)`` does for one name.
package struct NameScanner: Sendable {
    /// Whether this processor has the instructions, and fast ones.
    package static let isAvailable = names_can_scan() != 0

    /// Names that are looked at together.
    private static let block = 64

    /// The filters of `word_filters`, in its order.
    private let filters: [UInt64]

    init(_ candidates: CandidateWords, _ inside: InsideWords, _ affixes: Affixes) {
        precondition(Self.isAvailable, "the processor lacks the instructions")
        filters =
            candidates.filters.likeness + inside.filters.inside + inside.filters.whole + candidates.filters.beginnings
            + affixes.filters
        precondition(filters.count == WORD_FILTERS_COUNT, "the filters have another size in C")
    }

    /// A name of which something is suspected.
    struct Suspect {
        /// The index among the names.
        let index: Int
        let name: KeyedName
        let folded: FoldedName
        let suspicions: Suspicions
    }

    /// Computes the look-alike keys of names, and finds those of which something is suspected.
    /// - Parameters:
    ///   - names: canonical letters.
    ///   - keys: room for `names.count` keys.
    ///   - unread: called with the index of each name that is left to the caller. Its key is not written.
    ///   - suspect: called with each suspect.
    @inline(__always)
    func scan(
        _ names: UnsafeBufferPointer<PackedASCII>, keys: UnsafeMutablePointer<PackedASCII>, unread: (Int) -> Void,
        suspect: (Suspect) -> Void
    ) {
        filters.withUnsafeBufferPointer { filters in
            withUnsafeTemporaryAllocation(of: suspect_name.self, capacity: Self.block) { suspects in
                for start in stride(from: 0, to: names.count, by: Self.block) {
                    let block = UnsafeBufferPointer(rebasing: names[start..<min(start + Self.block, names.count)])
                    let found = names_scan(
                        UnsafeRawPointer(block.baseAddress)?.assumingMemoryBound(to: packed_name.self),
                        Int64(block.count), OpaquePointer(filters.baseAddress),
                        UnsafeMutableRawPointer(keys + start).assumingMemoryBound(to: packed_name.self),
                        suspects.baseAddress)
                    for found in suspects[..<Int(found)] {
                        let index = start + Int(found.index)
                        guard found.suspicions != SUSPECT_FORM else {
                            unread(index)
                            continue
                        }
                        suspect(Suspect(index: index, letters: names[index], found))
                    }
                }
            }
        }
    }
}

extension NameScanner.Suspect {
    @inline(__always)
    fileprivate init(index: Int, letters: PackedASCII, _ found: suspect_name) {
        let key = PackedASCII(found.key)
        self.index = index
        name = KeyedName(letters, key: key, roughKey: PackedASCII(found.rough_key))
        folded = FoldedName(letters: PackedASCII(found.folded), bare: PackedASCII(found.bare), symbols: key)
        suspicions = Suspicions(rawValue: found.suspicions)
    }
}

extension PackedASCII {
    @inline(__always)
    fileprivate init(_ name: packed_name) { self.init(high: name.high, low: name.low) }
}
