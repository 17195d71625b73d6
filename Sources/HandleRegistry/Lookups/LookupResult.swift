import HandleRules
import HandleWords

/// The result of a look-up of some handles. It is usually empty, because most handles are free.
///
/// Many callers share a result, and each looks up its few handles in it. So it is sorted, which costs less than to build
/// a dictionary: the database answers in the order of its index anyway.
struct LookupResult: Sendable {
    private let names: [(key: LookalikeKey, name: NameInUse)]
    /// Changes after this moment may be missing, because a replica answered; nil if the primary did.
    let asOf: ContinuousClock.Instant?

    static let empty = LookupResult([])

    /// - Parameter names: the handles in use with the look-alike keys of the handles.
    init(_ names: [NameInUse], asOf: ContinuousClock.Instant? = nil) {
        self.names = names.map { (LookalikeKey($0.handle), $0) }.sorted { $0.key < $1.key }
        self.asOf = asOf
    }

    /// The typed handle and its look-alikes; nothing is known if the input makes no handle.
    func known(about reading: Reading) -> KnownName { reading.handle.map { known(about: $0) } ?? KnownName() }

    func known(about handle: Handle) -> KnownName {
        if names.isEmpty { return KnownName() }
        let key = LookalikeKey(handle)
        var (start, end) = (0, names.count)
        while start < end {
            let middle = (start + end) / 2
            if names[middle].key < key { start = middle + 1 } else { end = middle }
        }
        return KnownName(of: handle, among: names[start...].prefix { $0.key == key }.lazy.map(\.name))
    }
}
