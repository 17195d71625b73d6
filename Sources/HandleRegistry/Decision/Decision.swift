package import HandleRules
package import HandleWords

package import struct FoundationEssentials.Date

/// The answer to "can I have it?": all reasons against a handle.
///
/// ``decide(_:word:_:for:to:_:)`` is the only place that finds them. Availability, suggestions, holds, claims, renames,
/// reservations, batch validation and its repairs, and the command line all use it. Writes call it inside their
/// transaction, with the rows that they have locked.
package struct Decision: Sendable, Equatable {
    package let reading: Reading
    /// The reserved word that the handle is or imitates.
    let word: ReservedWord?
    /// The protected handle that it looks like.
    let original: Handle?
    /// The state of the handle, if it is in use.
    package let taken: Handle.State?
    /// The limit of handles for one owner, if the caller has reached it.
    let limit: Int?
    /// The moment from which the caller can get a further handle, if it has too many in quarantine.
    let wait: Date?
    /// The lock of the caller, if it is locked.
    let lock: Lock?

    /// The change that the caller wants to make.
    package enum Intent: Sendable {
        case claim, rename, hold, reserve
        /// An admin reserves a handle, also one in use.
        case take
        /// An admin gives the caller a handle, from any state. Limits of the caller don't count.
        case assign

        /// True if an admin decides, and neither reserved words nor limits of owners count.
        fileprivate var isOfAdmins: Bool {
            switch self {
            case .claim, .rename, .hold: false
            case .reserve, .take, .assign: true
            }
        }
    }

    /// A lock of an owner: it can't get or change handles.
    package struct Lock: Sendable, Equatable {
        /// ``endless`` for a lock without an end.
        let end: Date

        static let endless = Date(secondsSince1970: 253_402_300_799)

        /// The end, if there is one.
        package var until: Date? { end == Self.endless ? nil : end }

        package var reason: Reason { .ownerLocked(until: until?.wholeSeconds) }
    }

    /// Decides about a handle.
    /// - Parameters:
    ///   - word: the reserved word that the handle is or imitates; see ``HandleRules/Reading/word(in:)``.
    ///   - known: the state of the handle in the database; by default as though no handle were in use.
    package static func decide(
        _ reading: Reading, word: ReservedWord?, _ known: KnownName = KnownName(),
        for caller: Decision.Caller = .anyone,
        to intent: Intent = .claim, _ policy: Policy = Policy()
    ) -> Decision {
        // An owner keeps a handle that it has or is promised, even if a new reserved word or reservation would forbid
        // it.
        let isTheirs = known.name.map { caller.mayTake($0, to: intent) } ?? false
        let isOwn = known.name.map(caller.has) ?? false
        let isFull =
            caller.claimed.map { claimed in
                !intent.isOfAdmins && policy.perOwner > 0 && claimed >= policy.perOwner
                    && !(isOwn && known.name?.state == .claimed)
            } ?? false
        // The way back to a handle in quarantine is open.
        let isFurther = !intent.isOfAdmins && !(isOwn && [.claimed, .quarantined].contains(known.name?.state))
        return Decision(
            reading: reading,
            word: isTheirs || intent.isOfAdmins ? nil : word,
            original: original(known, for: caller, to: intent, policy)?.handle,
            taken: isTheirs ? nil : known.name?.state,
            limit: isFull ? Int(policy.perOwner) : nil,
            wait: isFurther ? caller.wait : nil,
            lock: intent.isOfAdmins ? nil : caller.lock)
    }

    /// The look-alike because of which the caller can't have a handle. One that is kept for the caller is no obstacle.
    private static func original(
        _ known: KnownName, for caller: Decision.Caller, to intent: Intent, _ policy: Policy
    ) -> NameInUse? {
        if known.lookalikes.isEmpty { return nil }
        let isOthers = { (name: NameInUse) in !caller.shares(name, to: intent) }
        // An assigned handle need not be the owner's, so it is judged like one that the owner claims.
        if intent == .assign, known.name == nil { return self.original(known, for: caller, to: .claim, policy) }
        if let name = known.name, caller.mayTake(name, to: intent == .assign ? .claim : intent) {
            if caller.has(name) {
                // A former owner can't take its handle back beside a claimed one.
                return name.state == .quarantined && policy.lookalikes == .strict ? known.claimedRival : nil
            }
            // The secret of its hold gives the handle to another owner, but no handle that it looks like.
            let holder = Decision.Caller(owner: name.owner, mark: caller.holder)
            return known.kept.first { holder.has($0) && isOthers($0) }
        }
        // The handle is protected itself, beside the others.
        if intent == .assign {
            let isReserved = known.name?.state == .reserved
            return known.protectors.first { !caller.has($0) && !(isReserved && $0.isOperators) }
        }
        if known.isExempt { return nil }
        let protectors = known.isProtected ? [] : known.protectors
        // Handles in use that look like it don't prevent a reservation; they are reported.
        if intent.isOfAdmins { return protectors.first(where: isOthers) }
        return switch policy.lookalikes {
        case .protected: (protectors + known.temporary).first(where: isOthers)
        // No two handles in use may look alike, not even those of one owner.
        case .strict: protectors.first ?? known.others.first
        }
    }
}

extension Decision {
    package enum Status: String, Sendable { case available, unavailable, invalid }

    package var status: Status {
        if !reading.isWellFormed { return .invalid }
        return isAvailable ? .available : .unavailable
    }

    package var isAvailable: Bool {
        reading.isWellFormed && word == nil && original == nil && taken == nil && !isAboutCaller
    }

    /// True if the caller can't have any further handle.
    var isAboutCaller: Bool { limit != nil || wait != nil || lock != nil }

    package var handle: Handle? { reading.handle }
    package var display: DisplayHandle? { reading.display }

    /// All reasons against the handle, in the order of `Reason`; empty if it can be had.
    package var reasons: [Reason] {
        var reasons: [Reason] = []
        forEachReason { reasons.append($0) }
        return reasons
    }

    /// Calls `body` with all reasons against the handle, in the order of `Reason`.
    package func forEachReason(_ body: (Reason) -> Void) {
        reading.forEachReason(body)
        if let word { body(.reservedWord(word)) }
        if let original { body(.lookalike(of: original)) }
        if let taken { body(.taken(taken)) }
        if let limit { body(.ownerFull(limit: limit)) }
        if let wait { body(.tooManyChanges(until: wait.wholeSeconds)) }
        if let lock { body(lock.reason) }
    }
}

extension Reading {
    /// The reserved word that the name is or imitates.
    package func word(in words: ReservedWords) -> ReservedWord? { letters.flatMap(words.match) }
}

extension Date {
    /// The seconds since 1970, rounded up, as a reason has them.
    fileprivate var wholeSeconds: Int64 { Int64(timeIntervalSince1970.rounded(.up)) }

    package init(secondsSince1970 seconds: Int64) { self.init(timeIntervalSince1970: Double(seconds)) }
}
