package import HandleRules
package import HandleWords

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

    /// The change that the caller wants to make.
    package enum Intent: Sendable {
        case claim, rename, hold, reserve
        /// An admin gives the caller a reserved handle, for whichever owner it was reserved.
        case assign
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
        let isFull =
            caller.claimed.map { claimed in
                intent != .reserve && policy.perOwner > 0 && claimed >= policy.perOwner
                    && !(isTheirs && known.name?.state == .claimed)
            } ?? false
        return Decision(
            reading: reading,
            word: isTheirs || intent == .reserve ? nil : word,
            original: original(known, for: caller, to: intent, policy)?.handle,
            taken: isTheirs ? nil : known.name?.state,
            limit: isFull ? Int(policy.perOwner) : nil)
    }

    /// The look-alike because of which the caller can't have a handle. One that is kept for the caller is no obstacle.
    private static func original(
        _ known: KnownName, for caller: Decision.Caller, to intent: Intent, _ policy: Policy
    ) -> NameInUse? {
        if known.lookalikes.isEmpty { return nil }
        let isOthers = { (name: NameInUse) in !caller.shares(name, to: intent) }
        // An assigned handle need not be the owner's, so it is judged like one that the owner claims.
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
        if intent == .assign { return known.protectors.first(where: isOthers) }
        if known.isExempt { return nil }
        let protectors = known.isProtected ? [] : known.protectors
        // Handles in use that look like it don't prevent a reservation; they are reported.
        if intent == .reserve { return protectors.first(where: isOthers) }
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
        reading.isWellFormed && word == nil && original == nil && taken == nil && limit == nil
    }

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
    }
}

extension Reading {
    /// The reserved word that the name is or imitates.
    package func word(in words: ReservedWords) -> ReservedWord? { letters.flatMap(words.match) }
}
