import HandleRules
import HandleWords

/// The result of a look-up of some handles. It is usually empty, because most handles are free.
///
/// Many callers share a result, and each looks up its few handles in it. So it is sorted, which costs less than to build
/// a dictionary: the database answers in the order of its indexes anyway.
struct LookupResult: Sendable {
    private let names: [(handle: Handle, known: KnownName)]
    private let entries: [LookalikeEntry]
    /// Changes after this moment may be missing, because a replica answered; nil if the primary did.
    let asOf: ContinuousClock.Instant?

    static let empty = LookupResult([], [])

    init(
        _ names: [(handle: Handle, known: KnownName)], _ entries: [LookalikeEntry],
        asOf: ContinuousClock.Instant? = nil
    ) {
        self.asOf = asOf
        self.names = names.sorted { $0.handle < $1.handle }
        self.entries = entries.sorted { $0.key < $1.key }
    }

    /// The state of the handle that was typed; empty if the input makes no handle.
    func known(about reading: Reading) -> KnownName { reading.handle.map { known(about: $0) } ?? KnownName() }

    func known(about handle: Handle) -> KnownName {
        var known = names.first(with: handle, by: { $0.handle })?.known ?? KnownName()
        if !entries.isEmpty { known.lookalike = entries.first(with: LookalikeKey(handle), by: { $0.key }) }
        return known
    }
}

extension Array {
    /// The first element with a key, by binary search; nil if there is none.
    fileprivate func first<Key: Comparable>(with wanted: Key, by key: (Element) -> Key) -> Element? {
        var (start, end) = (0, count)
        while start < end {
            let middle = (start + end) / 2
            if key(self[middle]) < wanted { start = middle + 1 } else { end = middle }
        }
        return start < count && key(self[start]) == wanted ? self[start] : nil
    }
}
