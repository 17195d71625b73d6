package import HandleRules
import HandleWords
import NIOConcurrencyHelpers

/// Streams the decision about a watched handle to its watchers.
///
/// Each instance looks up its watched handles together, once an interval. So instances exchange no messages, and states
/// that end by themselves are noticed too. While the feed is on, only those are looked up that may have changed.
package final class Watches: Sendable {
    /// A message to a watcher.
    package enum Notice: Sendable {
        case decision(Decision)
        /// The database does not answer at the moment.
        case unknown
    }

    /// Interval of look-ups: a change is reported within two seconds, including a slow look-up.
    package static let interval = Duration.seconds(1)
    private static let namesInQuery = 1000

    /// One watch of a handle.
    package struct Watch: Sendable {
        /// One notice each interval, changed or not. Only the newest is buffered. The first comes from a look-up that
        /// begins after the watch.
        package let notices: AsyncStream<Notice>
        /// Ends the notices.
        package let end: @Sendable () -> Void
    }

    /// The watching caller, for the limits on streams.
    package struct Party: Sendable {
        /// The caller's id.
        let id: String
        /// A group of callers that may be one, such as a network; nil if the caller has no group.
        let group: String?

        package init(_ id: String, in group: String? = nil) { (self.id, self.group) = (id, group) }
    }

    private struct Watcher: Sendable {
        let party: Party
        let reading: Reading
        let owner: Owner?
        let stream: AsyncStream<Notice>.Continuation
        /// The last decision; nil if it is not known.
        var decision: Decision?
        /// True if it may change without an event: a state ends by itself, or the owner has limits and locks.
        var maySilentlyChange = true
        /// The number of look-ups.
        var lookUps = 0

        /// - Parameter changed: the look-alike keys of the names that may have changed; nil for all.
        func isDue(_ changed: Set<LookalikeKey>?) -> Bool {
            guard let changed, decision != nil, lookUps >= WatchedChanges.questionsUntilCertain else { return true }
            return maySilentlyChange || reading.handle.map { changed.contains(LookalikeKey($0)) } ?? false
        }
    }

    private struct State {
        var watchers: [UInt64: Watcher] = [:]
        /// Numbers of streams, by caller and by group.
        var counts: [String: Int] = [:]
        var lastID: UInt64 = 0
        var isClosed = false

        mutating func add(_ watcher: Watcher) -> UInt64 {
            lastID += 1
            watchers[lastID] = watcher
            count(watcher.party, 1)
            return lastID
        }

        /// Notes an answer for the watcher, if it still watches.
        mutating func note(_ decision: Decision?, maySilentlyChange: Bool = true, for id: UInt64) {
            watchers[id]?.decision = decision
            watchers[id]?.maySilentlyChange = maySilentlyChange
            watchers[id]?.lookUps += 1
        }

        mutating func remove(_ id: UInt64) {
            if let watcher = watchers.removeValue(forKey: id) { count(watcher.party, -1) }
        }

        private mutating func count(_ party: Party, _ change: Int) {
            for name in [party.id, party.group].compactMap({ $0 }) {
                let count = counts[name, default: 0] + change
                counts[name] = count > 0 ? count : nil
            }
        }
    }

    private let registry: Registry
    private let changes: WatchedChanges
    private let maxWatchers: Int
    private let state = NIOLockedValueBox(State())

    /// - Parameter maxWatchers: the most streams at a time.
    package init(_ registry: Registry, maxWatchers: Int) {
        self.registry = registry
        changes = WatchedChanges(registry)
        self.maxWatchers = maxWatchers
    }

    /// Number of streams.
    package var count: Int { state.withLockedValue(\.watchers.count) }

    /// Watches a handle until the watch ends or its stream is dropped.
    /// - Throws: ``RegistryError`` `.overloaded`, or `.shareUsed` if the caller or its group has its share of streams.
    package func watch(_ input: String, for owner: Owner? = nil, by party: Party) throws -> Watch {
        let (stream, continuation) = AsyncStream.makeStream(of: Notice.self, bufferingPolicy: .bufferingNewest(1))
        let watcher = Watcher(
            party: party, reading: Reading(typed: input), owner: owner, stream: continuation)
        let id = try state.withLockedValue { state in
            guard !state.isClosed, state.watchers.count < maxWatchers else {
                throw RegistryError(.overloaded, "too many names are watched, or the service is stopping")
            }
            guard hasShare(party, state) else {
                throw RegistryError(.shareUsed, "the caller, or the caller's network, watches too many names")
            }
            return state.add(watcher)
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLockedValue { $0.remove(id) } }
        return Watch(notices: stream) { continuation.finish() }
    }

    /// A caller may have a quarter of the streams, a group a half. The last quarter is for callers and groups without a
    /// stream, so three callers with full shares leave room for others.
    private func hasShare(_ party: Party, _ state: State) -> Bool {
        let own = state.counts[party.id, default: 0]
        let shared = party.group.map { state.counts[$0, default: 0] } ?? own
        guard own < max(1, maxWatchers / 4), shared < max(1, maxWatchers / 2) else { return false }
        return shared == 0 || state.watchers.count < maxWatchers - maxWatchers / 4
    }

    /// Looks the handles up once an interval until the task is cancelled; then ends all streams.
    package func run(_ clock: some Clock<Duration>) async {
        while !Task.isCancelled {
            // The sleep throws when the service stops; the loop checks for that.
            try? await clock.sleep(for: Self.interval)
            await lookUp()
        }
        let watchers = state.withLockedValue { state in
            state.isClosed = true
            return state.watchers.values.map(\.stream)
        }
        for stream in watchers { stream.finish() }
    }

    /// Looks up the watched handles that may have changed, and sends a notice to each watcher.
    func lookUp() async {
        let changed = await changes.keys()
        let watchers = state.withLockedValue { Array($0.watchers) }
        var due: [(key: UInt64, value: Watcher)] = []
        for watcher in watchers {
            if watcher.value.isDue(changed) {
                due.append(watcher)
            } else if let decision = watcher.value.decision {
                watcher.value.stream.yield(.decision(decision))
            }
        }
        for start in stride(from: 0, to: due.count, by: Self.namesInQuery) {
            await lookUp(due[start..<min(start + Self.namesInQuery, due.count)])
        }
    }

    private func lookUp(_ watchers: ArraySlice<(key: UInt64, value: Watcher)>) async {
        do {
            let result = try await registry.lookups.lookUp(watchers.compactMap(\.value.reading.handle))
            for (id, watcher) in watchers {
                let caller = try await registry.caller(watcher.owner)
                let word = watcher.reading.word(in: try registry.writes.confirmedWords())
                let known = result.known(about: watcher.reading)
                let decision = Decision.decide(
                    watcher.reading, word: word, known, for: caller, to: .claim, registry.policy)
                let maySilentlyChange = watcher.owner != nil || known.hasEnd
                state.withLockedValue { $0.note(decision, maySilentlyChange: maySilentlyChange, for: id) }
                watcher.stream.yield(.decision(decision))
            }
        } catch {
            for (id, watcher) in watchers {
                state.withLockedValue { $0.note(nil, for: id) }
                watcher.stream.yield(.unknown)
            }
        }
    }
}
