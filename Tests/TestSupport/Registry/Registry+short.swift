package import HandleRegistry
package import HandleRules
package import HandleWords

/// Short forms of the operations, with the defaults that most tests use.
extension Registry {
    package static let testCause = Cause(by: Cause.Actor("test", .admin))

    package func claim(_ input: String, for owner: Owner, hold: String? = nil) async throws -> ChangeOutcome {
        try await perform(Claim(input, for: owner, hold: hold, Self.testCause))
    }

    package func hold(_ input: String, for owner: Owner, duration: Duration? = nil) async throws -> ChangeOutcome {
        try await perform(Hold(input, for: owner, lasting: duration, Self.testCause))
    }

    package func reserve(
        _ input: String, _ reservation: Reservation, allowingLookalike: Bool = false, taking: Bool = false,
        actor: String = "test"
    ) async throws -> ChangeOutcome {
        try await reserveAndReport(
            input, reservation, allowingLookalike: allowingLookalike, taking: taking, actor: actor
        ).outcome
    }

    /// The same, with the look-alikes in use.
    package func reserveAndReport(
        _ input: String, _ reservation: Reservation, allowingLookalike: Bool = false, taking: Bool = false,
        actor: String = "test"
    ) async throws -> Reserved {
        guard let display = Reading(typed: input).display else { preconditionFailure("\(input) is malformed") }
        let reserve = BulkReserve(self, allowingLookalikes: allowingLookalike, taking: taking, actor: actor)
        return try await reserve.reserve([NameToReserve(display, reservation)])[0]
    }

    @discardableResult
    package func release(_ handle: Handle) async throws -> ChangeOutcome {
        try await perform(Release(handle, Self.testCause))
    }

    package func rename(_ old: Handle, to input: String, for owner: Owner) async throws -> ChangeOutcome {
        try await perform(Rename(old, to: input, for: owner, Self.testCause))
    }

    /// Acts for the owner, as a person does.
    package static func cause(of owner: Owner) -> Cause { Cause(by: Cause.Actor("person", .owner(owner))) }

    package func recase(_ display: DisplayHandle) async throws -> Record? {
        try await perform(Recase(display, Self.testCause)).record
    }
}

extension Registry {
    /// Changes a word, if that has an effect.
    @discardableResult
    package func change(_ change: WordChange) async throws -> WordEffect {
        let effect = try await wordsInForce().effect(of: change)
        if effect.isNew { try await putWords([change]) }
        return effect
    }

    /// The preview of changes of the words in force.
    package func preview(of changes: [WordChange]) async throws -> WordPreview {
        try await preview(of: changes, to: wordsInForce())
    }
}

extension WordChange {
    package static func add(
        _ word: PackedASCII, _ match: ReservedWord.Match, category: String = "test", comment: String = ""
    ) -> WordChange {
        WordChange(word: word, category: category, kind: .word(match), comment: comment, actor: "tester")
    }

    package static func exempt(_ name: PackedASCII) -> WordChange {
        WordChange(word: name, category: "test", kind: .innocent, actor: "tester")
    }

    package static func remove(_ word: PackedASCII) -> WordChange {
        WordChange(word: word, category: "test", kind: .removed, actor: "tester")
    }
}

extension Decision {
    /// The decision by form and reserved words alone.
    package static func decide(_ typed: String, _ words: ReservedWords) -> Decision {
        let reading = Reading(typed: typed)
        return .decide(reading, word: reading.word(in: words))
    }
}

extension ChangeOutcome {
    /// The outcome without its records and texts: what most tests compare.
    package enum Kind: Hashable, Sendable {
        case done, already
        /// Refused by a decision, with the codes of its reasons.
        case decision([Reason.Code])
        case notOwner, needsAdmin, notClaimed, changed, paused, locked
        /// Not reserved but in this state; nil for a free handle.
        case notReserved(Handle.State?)

        package static func refused(_ reasons: Reason.Code...) -> Kind { .decision(reasons) }
    }

    /// The record of a change that was made.
    package var made: Record? { if case .done(let record) = self { record } else { nil } }

    package var kind: Kind {
        switch self {
        case .done: .done
        case .already: .already
        case .refused(.decision(let decision)): .decision(decision.reasons.map(\.code))
        case .refused(.notOwner): .notOwner
        case .refused(.needsAdmin): .needsAdmin
        case .refused(.notClaimed): .notClaimed
        case .refused(.notReserved(let record)): .notReserved(record?.state)
        case .refused(.changed): .changed
        case .refused(.paused): .paused
        case .refused(.locked): .locked
        }
    }
}
