import HandleRules
import HandleWords

extension JSONWriter {
    mutating func write(_ name: ArchivedName) {
        object { json in
            json.member("kind", "name")
            json.member("handle", name.handle.letters)
            json.member("display", name.display.letters)
            json.member("state", name.state.rawValue)
            if let owner = name.owner { json.member("owner", owner.id) }
            if let mark = name.formerMark { json.member("owner_mark", mark.description) }
            if let reason = name.reason { json.member("reason", reason) }
            json.member("since", name.since.moment)
            if let until = name.until { json.member("until", until.moment) }
            // Only flags that are set are written.
            if name.isProtected { json.member("protected", 1) }
            if name.isExempt { json.member("exempt", 1) }
            if name.isForwarded { json.member("forward", 1) }
            if let version = name.version { json.member("version", version) }
        }
    }

    mutating func write(archived event: Event) {
        object { json in
            json.member("kind", "event")
            json.member("handle", event.handle.letters)
            json.member("version", event.version)
            json.member("at", event.at.moment)
            json.member("actor", event.actor)
            json.member("action", event.action.rawValue)
            json.member("from", event.from.rawValue)
            json.member("to", event.to.rawValue)
            json.member("display", event.display.letters)
            if let owner = event.ownerID {
                json.member("owner", owner.id)
            } else if let mark = event.owner {
                json.member("owner_mark", mark.description)
            }
            if let reason = event.reason { json.member("reason", reason) }
            if let related = event.related { json.member("related", related) }
            if let until = event.until { json.member("until", until.moment) }
        }
    }

    mutating func write(archived event: OwnerEvent) {
        object { json in
            json.member("kind", "lock")
            if let owner = event.owner {
                json.member("owner", owner.id)
            } else {
                json.member("owner_mark", event.mark.description)
            }
            json.member("version", event.version)
            json.member("at", event.at.moment)
            json.member("actor", event.actor)
            json.member("action", event.action.rawValue)
            if let reason = event.reason { json.member("reason", reason) }
            if let until = event.until { json.member("until", until.moment) }
        }
    }

    mutating func write(archived word: WordChange) {
        object { json in
            json.member("kind", "word")
            json.member("word", word.word)
            json.member("category", word.category)
            json.member("match", word.kind.rawValue)
            json.member("source", word.source)
            json.member("comment", word.comment)
            json.member("actor", word.actor)
            json.member("changed_at", word.changedAt?.moment)
            if let until = word.until { json.member("until", until.moment) }
        }
    }
}
