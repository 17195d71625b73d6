import HandleRegistry

/// An event of the feed as a message of Standard Webhooks.
struct WebhookMessage {
    /// The same at each attempt, by which a receiver recognises a message that it has got already.
    let id: String
    let body: [UInt8]
}

extension WebhookMessage {
    init(_ entry: FeedEvent) {
        id = "evt_\(entry.seq)"
        var json = JSONWriter()
        json.object { json in
            json.member("type", "handle.\(entry.event.action.rawValue)")
            json.member("timestamp", entry.event.at.rfc3339)
            json.key("data")
            json.write(feed: entry)
        }
        body = json.bytes
    }
}
