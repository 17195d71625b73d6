import HandleRegistry

/// The reasons why the feed is not delivered, each with what to do.
enum WebhookFault {
    static let off = CommandFault(
        .unavailable,
        "the feed is off: set HANDLES_FEED of the service, for example to 7d, and restart it; it has the events from then "
            + "on")

    /// - Parameters:
    ///   - cursor: the last event that the receiver has.
    ///   - isNew: true if its position is not stored yet.
    static func expired(
        _ cursor: Int64, _ state: FeedState, _ names: WebhookDelivery.Names, isNew: Bool = false
    ) -> CommandFault {
        let kept = state.seq > state.floor ? "has events \(state.floor + 1) to \(state.seq)" : "has no events yet"
        let option = isNew ? "--after SEQ" : "under a new name: --name \(names.cursor)-2 --after SEQ"
        return CommandFault(
            .unavailable,
            "the feed does not have the events after \(cursor) any more: it \(kept); bring the receiver up to date with "
                + "handles export --history, and deliver from that moment on, the seq in its last line\(isNew ? ": " : ", ")"
                + option)
    }

    static func future(_ position: Int64, _ state: FeedState) -> CommandFault {
        CommandFault(.usage, "--after is \(position), and the last event of the feed is \(state.seq)")
    }

    static func known(_ names: WebhookDelivery.Names, _ position: Int64) -> CommandFault {
        CommandFault(
            .usage,
            "\(names.cursor) has accepted the events up to \(position) already: leave out --after to go on from there, "
                + "or choose another --name")
    }

    static func held(_ names: WebhookDelivery.Names) -> CommandFault {
        CommandFault(
            .unavailable,
            "another program delivers to \(names.cursor): stop it first, or choose another --name; if it was killed, try "
                + "again in \(FeedCursor.lease.components.seconds) seconds")
    }

    static func lost(_ names: WebhookDelivery.Names) -> CommandFault {
        CommandFault(.unavailable, "another program delivers to \(names.cursor) now, so this one has ended")
    }

    static func gone(_ names: WebhookDelivery.Names, _ seq: Int64) -> CommandFault {
        CommandFault(
            .unavailable,
            "\(names.address) wants no more events: it answered event \(seq) with 410 Gone; start this command again if "
                + "that was a mistake")
    }
}
