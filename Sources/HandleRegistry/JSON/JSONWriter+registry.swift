package import HandleRules

import struct FoundationEssentials.Date

/// The readers of an answer. Some members are only for callers with a key.
package enum Audience: Sendable { case anyone, keyHolders }

extension Decision {
    /// The reasons that an audience may learn, in the order of `Reason`. Callers without a key don't learn that a taken name
    /// also looks like another: of two look-alikes in use, that would tell the reserved one from the others.
    package func reasons(for audience: Audience) -> [Reason] {
        guard audience == .anyone, taken != nil else { return reasons }
        return reasons.filter { $0.code != .lookalike }
    }
}

/// JSON of the registry's answers: the same over HTTP, on the command line and in reports.
extension JSONWriter {
    /// A member with an array of handles.
    package mutating func member(_ name: StaticString, _ handles: [Handle]) {
        key(name)
        array { json in for handle in handles { json.string(handle.letters) } }
    }

    /// A decision with suggestions: `input`, `handle`, `display`, `status`, `reasons`, `suggestions`.
    package mutating func write(
        _ decision: Decision, about input: String, suggestions: [Suggestion]?, for audience: Audience
    ) {
        object { $0.members(of: decision, about: input, suggestions: suggestions, for: audience) }
    }

    /// The members of a decision, for an object with further members.
    package mutating func members(
        of decision: Decision, about input: String, suggestions: [Suggestion]?, for audience: Audience
    ) {
        member("input", input)
        member("handle", decision.handle?.letters)
        member("display", decision.display?.letters)
        member("status", decision.status.rawValue)
        key("reasons")
        write(decision.reasons(for: audience), for: audience)
        guard let suggestions else { return }
        key("suggestions")
        array { json in for suggestion in suggestions { json.write(suggestion) } }
    }

    package mutating func write(_ suggestion: Suggestion) {
        object { json in
            json.member("handle", suggestion.handle.letters)
            json.member("display", suggestion.display.letters)
            json.member("method", suggestion.method.rawValue)
        }
    }

    package mutating func write(_ reasons: [Reason], for audience: Audience) {
        array { json in for reason in reasons { json.write(reason, for: audience) } }
    }

    private mutating func write(_ reason: Reason, for audience: Audience) {
        object { json in
            json.member("code", reason.code.rawValue)
            json.member("message", reason.message)
            switch reason {
            case .tooShort(let length), .tooLong(let length): json.member("length", length)
            case .invalidCharacter(let character):
                json.member("character", String(character.scalar))
                json.member("codepoint", character.codepoint)
                json.member("name", character.name)
                json.member("offset", character.offset)
                if let lookalike = character.lookalike { json.member("looks_like", String(lookalike)) }
            case .reservedWord(let word):
                json.member("category", word.category)
                if audience == .keyHolders { json.member("word", word.word.description) }
            case .taken(let state): if audience == .keyHolders { json.member("state", state.rawValue) }
            case .ownerFull(let limit): json.member("limit", limit)
            case .tooManyChanges(let until): json.member("until", Date(secondsSince1970: until).rfc3339)
            case .ownerLocked(let until): json.member("until", until.map { Date(secondsSince1970: $0).rfc3339 })
            case .lookalike(let original):
                if audience == .keyHolders { json.member("original", original.description) }
            case .leadingUnderscore, .allDigits: break
            }
        }
    }

    /// The record of a handle in use.
    package mutating func write(_ record: Record, for audience: Audience) {
        object { $0.members(of: record, for: audience) }
    }

    /// For callers with a key: the record of a handle, the decision for a new owner, the look-alikes in use, and the
    /// events.
    /// - Parameter present: the handle that an old one leads to; nil for others.
    package mutating func write(
        _ handle: Handle, _ record: Record?, _ decision: Decision, lookalikes: [Handle], _ history: [Event],
        movedTo present: Record? = nil
    ) {
        object { json in
            if let record {
                json.members(of: record, for: .keyHolders)
            } else {
                json.member("handle", handle.description)
                json.member("state", Handle.State.free.rawValue)
            }
            if let present {
                json.key("moved_to")
                json.object { json in
                    json.member("handle", present.handle.letters)
                    json.member("display", present.display.letters)
                }
            }
            json.key("decision")
            json.object { json in
                json.member("status", decision.status.rawValue)
                json.key("reasons")
                json.write(decision.reasons, for: .keyHolders)
            }
            json.member("lookalikes", lookalikes)
            json.key("history")
            json.array { json in for event in history { json.write(event) } }
        }
    }

    private mutating func members(of record: Record, for audience: Audience) {
        member("handle", record.handle.description)
        member("display", record.display.description)
        member("state", record.state.rawValue)
        if audience == .keyHolders { member("owner", record.owner?.id) }
        member("version", record.version)
        member("changed_at", record.changedAt.rfc3339)
        guard audience == .keyHolders else { return }
        if let until = record.until { member("until", until.rfc3339) }
        if let reason = record.reason { member("reason", reason) }
    }

    /// An event, for callers with a key.
    private mutating func write(_ event: Event) {
        object { json in
            json.member("version", event.version)
            json.member("at", event.at.rfc3339)
            json.member("actor", event.actor)
            json.member("action", event.action.rawValue)
            json.member("from", event.from.rawValue)
            json.member("to", event.to.rawValue)
            json.member("display", event.display.description)
            json.member("owner", event.ownerID?.id)
            json.member("owner_mark", event.owner?.description)
            json.member("reason", event.reason)
            json.member("related", event.related)
            json.member("until", event.until?.rfc3339)
        }
    }

    /// The lock of an owner.
    /// - Parameter owner: the owner, if known: the event of a forgotten one does not have it.
    package mutating func write(lock: OwnerEvent, of owner: Owner? = nil) {
        object { json in
            json.member("owner", (owner ?? lock.owner)?.id)
            json.key("locked")
            json.boolean(lock.action == .locked)
            json.member("until", lock.until?.rfc3339)
            json.member("reason", lock.reason)
            json.member("actor", lock.actor)
            json.member("since", lock.at.rfc3339)
        }
    }

    /// A hold or an offer with its secret, for its owner.
    package mutating func write(hold record: Record) {
        object { json in
            json.member("handle", record.handle.description)
            json.member("display", record.display.description)
            json.member("owner", record.owner?.id)
            json.member("expires_at", (record.offer?.end ?? record.until)?.rfc3339)
            json.member("hold", record.offer?.secret ?? record.hold)
        }
    }
}
