package import HandleRules

/// An event of the feed.
package struct FeedEvent: Sendable {
    /// The number, which grows in the order in which events become visible.
    package let seq: Int64
    /// The event with its owner's id, unless that was deleted.
    package let event: Event
    /// The owner before the event; nil if there was none, or if its id was deleted.
    package let previousOwner: Owner?

    /// The owner after the event; nil in quarantine, and if the id was deleted.
    package var owner: Owner? { event.to == .quarantined || event.to == .free ? nil : event.ownerID }
}

/// The answer to a reader of the feed.
package enum FeedPage: Sendable {
    /// The next events, in order; empty if there are none yet.
    case events([FeedEvent])
    /// The feed does not have every event after the cursor. It began to count anew, or does not keep them any more.
    case expired(FeedState)
    case off
}
