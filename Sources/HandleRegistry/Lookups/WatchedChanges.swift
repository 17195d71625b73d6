import HandleRules
import HandleWords
import Postgres

/// Tells which names may have changed since the last question, from the feed. So names that are watched for long are not
/// looked up again and again.
actor WatchedChanges {
    private let registry: Registry
    /// The last event that was taken into account; nil if nothing is known of the time before.
    private var cursor: Int64?
    private var words: Int64?
    /// The keys of the last questions, oldest first.
    private var recent: [Set<LookalikeKey>] = []

    /// A look-up may be answered by a replica, which is at most ``ReadSide/greatestAge`` behind. So many questions after a
    /// change, one a second, it has the change.
    static let questionsUntilCertain = 4
    private static let entriesAtOnce = 10_000

    init(_ registry: Registry) { self.registry = registry }

    /// The look-alike keys of the names that may have changed lately.
    /// - Returns: nil for all names: the feed is off, no service numbers its events, or the reserved words have changed.
    func keys() async -> Set<LookalikeKey>? {
        guard let found = await next() else {
            recent = []
            return nil
        }
        recent = (recent + [found]).suffix(Self.questionsUntilCertain)
        return recent.reduce(into: []) { $0.formUnion($1) }
    }

    private func next() async -> Set<LookalikeKey>? {
        let before = (cursor: cursor, words: words)
        (cursor, words) = (nil, registry.wordsVersion)
        // No service has this name, so a lead that is to be had shows that none numbers the events.
        guard
            let (entries, leads) = try? await registry.background.run(
                pipeline: FeedEntries(after: before.cursor ?? .max, limit: Self.entriesAtOnce), LookupLead(leader: "")),
            let lead = leads.first, lead.state.isOn, !lead.mayLead
        else { return nil }
        let isKnown = before.cursor.map { lead.state.has(after: $0) } ?? false
        cursor = isKnown ? entries.last?.seq ?? before.cursor : lead.state.seq
        guard isKnown, before.words == words, entries.count < Self.entriesAtOnce else { return nil }
        return Set(entries.map { LookalikeKey($0.handle) })
    }
}
