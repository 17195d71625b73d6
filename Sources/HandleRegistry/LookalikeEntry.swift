import HandleCore

import struct FoundationEssentials.Date

/// Who has a look-alike key.
struct LookalikeEntry: Sendable {
    let key: LookalikeKey
    /// The name that the key is kept for.
    var protector: Handle?
    /// When that ends by itself; nil for no end.
    var protectedUntil: Date?
    /// The names that the key is kept for after that, one after the other, while they are in use.
    var nextProtectors: [Handle]
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

    /// The name that `handle` looks too much like: one that the key is kept for, or another that the policy names.
    /// - Parameters:
    ///   - policy: nil when only the names count that the key is kept for.
    ///   - own: names that are kept for the asker. Not under the strict policy, where nobody has two that look alike.
    func original(of handle: Handle, under policy: Policy.Lookalikes?, own: [Handle] = []) -> Handle? {
        if exempt.contains(handle), isInUse(handle) { return nil }
        if let protecting, protecting != handle { return protecting }
        switch policy {
        case nil: return nil
        case .protected:
            // Held and in quarantine: nobody is to tell these from a reservation, by what looks like them either.
            return names.first { $0.handle != handle && $0.end != nil && isInUse($0) && !own.contains($0.handle) }?
                .handle
        case .strict: return others(than: handle).first
        }
    }

    /// The name that the key is kept for now.
    var protecting: Handle? { isProtected ? protector : nextProtectors.first(where: isInUse) }

    /// Whether the key is kept for a name in its own right, now or after others.
    func isProtected(_ handle: Handle) -> Bool {
        (protector == handle && isProtected) || (nextProtectors.contains(handle) && isInUse(handle))
    }

    /// Names in use that look like `handle`, or with nil all of this key.
    func others(than handle: Handle? = nil) -> [Handle] {
        names.filter { $0.handle != handle && isInUse($0) }.map(\.handle)
    }

    private func isInUse(_ name: Name) -> Bool { name.end.map { $0 > now } ?? true }

    private func isInUse(_ handle: Handle) -> Bool { names.contains { $0.handle == handle && isInUse($0) } }

    private var isProtected: Bool { protector != nil && protectedUntil.map { $0 > now } ?? true }

    /// Notes that a name is in use until `end`, and forgets those that are not any more.
    mutating func note(_ handle: Handle, until end: Date?) {
        if protector == handle, isProtected { protectedUntil = end }
        replace(handle, with: Name(handle: handle, end: end))
    }

    /// Allows a name in spite of the key, for as long as it is in use.
    mutating func allow(_ handle: Handle, until end: Date?) {
        note(handle, until: end)
        if !exempt.contains(handle) { exempt.append(handle) }
    }

    /// Keeps the key for a name that has been free, after those that it is kept for already.
    mutating func protect(_ handle: Handle, until end: Date?) {
        free(handle)
        if protecting == nil {
            (protector, protectedUntil) = (handle, end)
        } else {
            allow(handle, until: end)
            nextProtectors.append(handle)
        }
    }

    /// Keeps the key for a name, before those that it is kept for already.
    mutating func protectFirst(_ handle: Handle, until end: Date?) {
        free(handle)
        let (former, formerEnd) = (protector, protectedUntil)
        (protector, protectedUntil) = (handle, end)
        guard let former else { return }
        allow(former, until: formerEnd)
        nextProtectors.insert(former, at: 0)
    }

    /// Notes that a name is free.
    mutating func free(_ handle: Handle) {
        if protector == handle { (protector, protectedUntil) = (nil, nil) }
        replace(handle, with: nil)
    }

    private mutating func replace(_ handle: Handle, with name: Name?) {
        // What somebody was allowed, nobody else is who takes the name once it has lapsed.
        let stays = { [self] (other: Handle) in isInUse(other) && (name != nil || other != handle) }
        exempt = exempt.filter(stays)
        nextProtectors = nextProtectors.filter(stays)
        names = names.filter { $0.handle != handle && isInUse($0) } + (name.map { [$0] } ?? [])
        if !isProtected { promote() }
    }

    /// Puts the next name in the place of a protector that is none any more.
    private mutating func promote() {
        let next = names.first { $0.handle == nextProtectors.first }
        (protector, protectedUntil) = (next?.handle, next?.end)
        guard let next else { return }
        nextProtectors.removeFirst()
        exempt.removeAll { $0 == next.handle }
    }
}

extension LookalikeEntry {
    /// A key that nobody has.
    init(key: LookalikeKey, now: Date) {
        self.init(
            key: key, protector: nil, protectedUntil: nil, nextProtectors: [], names: [], exempt: [], version: 1,
            now: now)
    }

    /// What there would be if only `handle` were reserved.
    init(protecting handle: Handle) {
        self.init(key: LookalikeKey(handle), now: Date())
        protector = handle
    }
}
