import HandleRules

/// A handle and its look-alikes, as the database has them.
package struct KnownName: Sendable {
    /// Nil if the handle is free.
    let name: NameInUse?
    /// The other handles in use with the same look-alike key, in the order of their last changes.
    let lookalikes: [NameInUse]

    /// True if the state of the handle or of a look-alike ends by itself.
    var hasEnd: Bool { name?.ends ?? false || lookalikes.contains(where: \.ends) }

    /// A free handle, without look-alikes.
    package init() { self.init(nil) }

    /// A handle without look-alikes.
    init(_ name: NameInUse?) { (self.name, lookalikes) = (name, []) }

    /// - Parameter names: the handles in use with the look-alike key of the handle.
    init(of handle: Handle, among names: some Sequence<NameInUse>) {
        var (name, lookalikes): (NameInUse?, [NameInUse]) = (nil, [])
        for other in names { if other.handle == handle { name = other } else { lookalikes.append(other) } }
        if lookalikes.count > 1 { lookalikes.sort { ($0.changedAt, $0.place) < ($1.changedAt, $1.place) } }
        (self.name, self.lookalikes) = (name, lookalikes)
    }
}

/// Which look-alikes count. Several handles of one key may be protected: all but the first are allowed in spite of the ones
/// before them.
extension KnownName {
    /// The protected look-alikes, in their order.
    var protectors: [NameInUse] {
        lookalikes.filter { $0.protection != nil }.sorted { $0.protection ?? 0 < $1.protection ?? 0 }
    }

    /// The protected look-alikes before the handle, or all of them if it is not protected itself.
    var protectorsBefore: [NameInUse] {
        guard let own = name?.protection else { return protectors }
        return protectors.filter { $0.protection ?? 0 < own }
    }

    /// The held and quarantined look-alikes that are not protected. Their look-alikes are refused too, because otherwise a
    /// check of one would tell them from a reservation.
    var temporary: [NameInUse] { lookalikes.filter { $0.ends && $0.protection == nil } }

    /// The look-alikes that are kept for an owner or for the operator. Their look-alikes are refused to all others.
    var kept: [NameInUse] { protectors + temporary }

    /// The look-alikes without a reservation that was there before all others.
    var others: [NameInUse] { lookalikes.filter { $0.state != .reserved || $0.isExempt || !isFirst($0) } }

    /// True if look-alikes of the handle are refused.
    var isProtected: Bool { name?.protection != nil }

    /// True if the handle is allowed in spite of its look-alikes.
    var isExempt: Bool { name.map(isExempt) ?? false }

    /// The claimed look-alike that the handle, in use itself, must not stand beside.
    var claimedRival: NameInUse? { isExempt ? nil : others.first { !$0.ends && !isExempt($0) } }

    private func isExempt(_ name: NameInUse) -> Bool { name.protection == nil ? name.isExempt : !isFirst(name) }

    /// True if no other handle of the key was protected before this one.
    private func isFirst(_ name: NameInUse) -> Bool {
        guard let own = name.protection else { return false }
        return !(lookalikes + [self.name].compactMap(\.self)).contains { $0.protection.map { $0 < own } ?? false }
    }
}
