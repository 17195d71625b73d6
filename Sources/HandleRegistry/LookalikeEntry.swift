import HandleCore

import struct FoundationEssentials.Date

/// Who has a look-alike key.
struct LookalikeEntry: Sendable {
    let key: LookalikeKey
    /// The name that the key is kept for.
    var protector: Handle?
    /// When that ends by itself; nil for no end.
    var protectedUntil: Date?
    /// The held, claimed and quarantined names with this key.
    var names: [Name]
    /// Names that an admin has allowed in spite of the key, while they are in use.
    var exempt: [Handle]
    /// 1 when nobody had written it before.
    let version: Int64
    /// The database's time when it was read.
    let now: Date

    struct Name: Sendable, Equatable {
        let handle: Handle
        /// When the name goes free by itself; nil for no end.
        let end: Date?
    }

    /// The protected name, or under the strict policy the name in use, that `handle` looks too much like.
    func original(of handle: Handle, under policy: Policy.Lookalikes) -> Handle? {
        if exempt.contains(handle), names.contains(where: { $0.handle == handle && isInUse($0) }) { return nil }
        if let protector, protector != handle, isProtected { return protector }
        return policy == .strict ? others(than: handle).first : nil
    }

    /// Names in use that look like `handle`.
    func others(than handle: Handle) -> [Handle] {
        names.filter { $0.handle != handle && isInUse($0) }.map(\.handle)
    }

    private func isInUse(_ name: Name) -> Bool { name.end.map { $0 > now } ?? true }

    var isProtected: Bool { protector != nil && protectedUntil.map { $0 > now } ?? true }

    /// Notes that a name is in use until `end`, and forgets those that are not any more.
    mutating func note(_ handle: Handle, until end: Date?) {
        remove(handle)
        names.append(Name(handle: handle, end: end))
        if protector == handle, isProtected { protectedUntil = end }
    }

    /// Allows a name in spite of the key, for as long as it is in use.
    mutating func allow(_ handle: Handle, until end: Date?) {
        note(handle, until: end)
        exempt.append(handle)
    }

    /// Keeps the key for a name, unless it is kept for another.
    mutating func protect(_ handle: Handle, until end: Date?) {
        remove(handle)
        if protector == nil || protector == handle { (protector, protectedUntil) = (handle, end) }
    }

    /// Notes that a name is free.
    mutating func free(_ handle: Handle) {
        remove(handle)
        exempt.removeAll { $0 == handle }
        if protector == handle { (protector, protectedUntil) = (nil, nil) }
    }

    private mutating func remove(_ handle: Handle) {
        names = names.filter { $0.handle != handle && isInUse($0) }
        exempt = exempt.filter { name in name == handle || names.contains { $0.handle == name } }
        if !isProtected { (protector, protectedUntil) = (nil, nil) }
    }
}

extension LookalikeEntry {
    /// What there would be if only `handle` were reserved.
    init(protecting handle: Handle) {
        self.init(
            key: LookalikeKey(handle), protector: handle, protectedUntil: nil, names: [], exempt: [], version: 1,
            now: Date())
    }
}
