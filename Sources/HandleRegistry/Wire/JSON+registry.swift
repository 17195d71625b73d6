public import HandleCore

import struct FoundationEssentials.Date

/// Who reads an answer: some things are for callers with a key only.
public enum Audience: Sendable { case anyone, keyHolders }

/// The JSON of the registry's answers: the same over HTTP, on the command line and in reports.
extension JSONWriter {
    /// A decision with suggestions: `input`, `handle`, `display`, `status`, `reasons`, `suggestions`.
    public mutating func write(_ decision: Decision, suggestions: [Suggestion]?, for audience: Audience) {
        object { json in
            json.member("input", decision.input)
            json.member("handle", decision.handle?.description)
            json.member("display", decision.display?.description)
            json.member("status", decision.status.rawValue)
            json.key("reasons")
            json.write(decision.reasons, for: audience)
            guard let suggestions else { return }
            json.key("suggestions")
            json.array { json in for suggestion in suggestions { json.write(suggestion) } }
        }
    }

    public mutating func write(_ suggestion: Suggestion) {
        object { json in
            json.member("handle", suggestion.handle.description)
            json.member("display", suggestion.display.description)
            json.member("method", suggestion.method.rawValue)
        }
    }

    public mutating func write(_ reasons: [Reason], for audience: Audience) {
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
            case .leadingUnderscore, .allDigits, .lookalike: break
            }
        }
    }

    /// A name that somebody has.
    public mutating func write(_ record: Record, for audience: Audience) {
        object { json in
            json.member("handle", record.handle.description)
            json.member("display", record.display.description)
            json.member("state", record.state.rawValue)
            if audience == .keyHolders { json.member("owner", record.owner?.id) }
            json.member("version", record.version)
            json.member("changed_at", record.changedAt.rfc3339)
            guard audience == .keyHolders else { return }
            if let until = record.until { json.member("until", until.rfc3339) }
            if let reason = record.reason { json.member("reason", reason) }
        }
    }

    /// A hold, with its secret: for its owner.
    public mutating func write(hold record: Record) {
        object { json in
            json.member("handle", record.handle.description)
            json.member("display", record.display.description)
            json.member("owner", record.owner?.id)
            json.member("expires_at", record.until?.rfc3339)
            json.member("hold", record.hold)
        }
    }
}

extension Date {
    /// The moment in UTC to the millisecond, as RFC 3339 has it.
    public var rfc3339: String { ISO8601Format(.init(includingFractionalSeconds: true)) }
}
