package import HandleRules
package import HandleWords

import struct FoundationEssentials.Date

/// The row of a look-alike key in the table `lookalike_keys`.
package struct LookalikeEntry: Sendable, Equatable {
    package let key: LookalikeKey
    /// The handle that the key protects: its look-alikes are refused.
    var protector: Handle?
    /// End of the protection; nil for none.
    var protectedUntil: Date?
    /// Handles that the key protects next, one after the other, as long as they are in use.
    var nextProtectors: [Handle]
    /// The held, claimed and quarantined handles with this key.
    var names: [Name]
    /// Handles that an admin has allowed in spite of the key, as long as they are in use.
    package internal(set) var exempt: [Handle]
    /// The database's time when the row was read.
    let now: Date

    struct Name: Sendable, Equatable {
        let handle: Handle
        /// The time at which the handle lapses; nil if it doesn't.
        let end: Date?
    }

    /// The handle because of which `handle` is refused: a protected look-alike, or another one that the policy counts.
    /// - Parameters:
    ///   - policy: nil if only the handles protected by the key count.
    ///   - isOwn: true for a handle that is kept for the caller, which doesn't count. Under the strict policy it does,
    ///     because no two handles in use may look alike.
    func original(
        of handle: Handle, under policy: Policy.Lookalikes?, except isOwn: (Handle) -> Bool = { _ in false }
    ) -> Handle? {
        if exempt.contains(handle), isInUse(handle) { return nil }
        let protectors = isProtected(handle) ? [] : self.protectors
        switch policy {
        case nil: return protectors.first { !isOwn($0) }
        case .protected: return (protectors + temporary).first { $0 != handle && !isOwn($0) }
        case .strict: return protectors.first ?? others(than: handle).first
        }
    }

    /// The handles that are kept for an owner or for the operator: the protected, held and quarantined ones. Their
    /// look-alikes are refused to all others.
    var kept: [Handle] { protectors + temporary }

    /// The handles that the key protects, now and after others.
    var protectors: [Handle] { (isProtected ? [protector].compactMap(\.self) : []) + nextProtectors.filter(isInUse) }

    /// The held and quarantined handles that the key doesn't protect. Their look-alikes are refused too, because
    /// otherwise a check of one would tell them from a reservation.
    private var temporary: [Handle] {
        names.filter { $0.end != nil && isInUse($0) && !isProtected($0.handle) }.map(\.handle)
    }

    /// The handle that the key protects at the moment.
    var protecting: Handle? { protectors.first }

    /// True if the key protects `handle`, now or after others.
    package func isProtected(_ handle: Handle) -> Bool {
        (protector == handle && isProtected) || (nextProtectors.contains(handle) && isInUse(handle))
    }

    /// The other handles in use with this key; with nil, all of them.
    func others(than handle: Handle? = nil) -> [Handle] {
        names.filter { $0.handle != handle && isInUse($0) }.map(\.handle)
    }

    /// The claimed handle that `handle`, in use itself, must not stand beside. Handles that an admin has allowed in spite of
    /// the key may.
    func claimedRival(of handle: Handle) -> Handle? {
        guard !exempt.contains(handle) else { return nil }
        return names.first { $0.handle != handle && $0.end == nil && !exempt.contains($0.handle) }?.handle
    }

    private func isInUse(_ name: Name) -> Bool { name.end.map { $0 > now } ?? true }

    private func isInUse(_ handle: Handle) -> Bool { names.contains { $0.handle == handle && isInUse($0) } }

    private var isProtected: Bool { protector != nil && protectedUntil.map { $0 > now } ?? true }

    /// Notes that a handle is in use until `end`, and removes lapsed handles.
    mutating func note(_ handle: Handle, until end: Date?) {
        if protector == handle, isProtected { protectedUntil = end }
        replace(handle, with: Name(handle: handle, end: end))
    }

    /// Allows a handle in spite of the key, as long as it is in use.
    mutating func allow(_ handle: Handle, until end: Date?) {
        note(handle, until: end)
        if !exempt.contains(handle) { exempt.append(handle) }
    }

    /// Protects a handle that was free, after those that are protected already.
    mutating func protect(_ handle: Handle, until end: Date?) {
        free(handle)
        if protecting == nil {
            (protector, protectedUntil) = (handle, end)
        } else {
            allow(handle, until: end)
            nextProtectors.append(handle)
        }
    }

    /// Protects a handle before those that are protected already.
    mutating func protectFirst(_ handle: Handle, until end: Date?) {
        free(handle)
        let (former, formerEnd) = (protector, protectedUntil)
        (protector, protectedUntil) = (handle, end)
        guard let former else { return }
        allow(former, until: formerEnd)
        nextProtectors.insert(former, at: 0)
    }

    mutating func free(_ handle: Handle) {
        if protector == handle { (protector, protectedUntil) = (nil, nil) }
        replace(handle, with: nil)
    }

    private mutating func replace(_ handle: Handle, with name: Name?) {
        // An exemption ends when its handle lapses; the next owner does not inherit it.
        let stays = { [self] (other: Handle) in isInUse(other) && (name != nil || other != handle) }
        exempt = exempt.filter(stays)
        nextProtectors = nextProtectors.filter(stays)
        names = names.filter { $0.handle != handle && isInUse($0) } + (name.map { [$0] } ?? [])
        if !isProtected { promote() }
    }

    /// Makes the next handle the protector, after the protection of the last one has ended.
    private mutating func promote() {
        let next = names.first { $0.handle == nextProtectors.first }
        (protector, protectedUntil) = (next?.handle, next?.end)
        guard let next else { return }
        nextProtectors.removeFirst()
        exempt.removeAll { $0 == next.handle }
    }
}

extension LookalikeEntry {
    /// A key without handles.
    init(key: LookalikeKey, now: Date) {
        self.init(
            key: key, protector: nil, protectedUntil: nil, nextProtectors: [], names: [], exempt: [], now: now)
    }

    /// A key with one claimed handle.
    init(key: LookalikeKey, claimed handle: Handle, now: Date) {
        self.init(key: key, now: now)
        names = [Name(handle: handle, end: nil)]
    }

    /// The same entry at another time.
    func read(at now: Date) -> LookalikeEntry {
        LookalikeEntry(
            key: key, protector: protector, protectedUntil: protectedUntil, nextProtectors: nextProtectors,
            names: names, exempt: exempt, now: now)
    }
}
