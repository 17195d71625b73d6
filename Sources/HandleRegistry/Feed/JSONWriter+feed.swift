import HandleRules

extension JSONWriter {
    /// An event of the feed, for callers with a key. Members without a value are left out.
    package mutating func write(feed entry: FeedEvent) {
        let event = entry.event
        object { json in
            json.member("seq", entry.seq)
            json.member("at", event.at.rfc3339)
            json.member("handle", event.handle.letters)
            json.member("display", event.display.letters)
            json.member("action", event.action.rawValue)
            json.member("from", event.from.rawValue)
            json.member("to", event.to.rawValue)
            if let owner = entry.owner { json.member("owner", owner.id) }
            if let owner = entry.previousOwner { json.member("previous_owner", owner.id) }
            if let related = event.related { json.member("related", related) }
            if let until = event.until { json.member("until", until.rfc3339) }
            json.member("version", event.version)
        }
    }
}
