package import HandleCore
import HandleText
import NIOConcurrencyHelpers

/// Tells those who watch a name what the decision about it is, again and again.
///
/// All names that anybody watches are looked up together once an interval, by whatever instance: nothing has to be
/// passed from one to another, and what ends by itself is noticed too.
package final class Watches: Sendable {
    /// What a watcher learns.
    package enum Notice: Sendable {
        case decision(Decision)
        /// The database can't be asked at the moment.
        case unknown
    }

    /// How often names are looked up: a change is told of within two seconds, a slow look-up included.
    package static let interval = Duration.seconds(1)
    private static let namesInQuery = 1000

    /// Somebody's watch of a name.
    package struct Watch: Sendable {
        /// One each interval, changed or not; of those that nobody took only the newest is kept. The first is of a look-up
        /// that begins after the watch did.
        package let notices: AsyncStream<Notice>
        /// Ends them.
        package let end: @Sendable () -> Void
    }

    /// Who watches, as far as shares go.
    package struct Party: Sendable {
        /// The caller.
        let id: String
        /// Callers who may be one, the caller among them; nil when there is only the caller.
        let group: String?

        package init(_ id: String, in group: String? = nil) { (self.id, self.group) = (id, group) }
    }

    private struct Watcher: Sendable {
        let party: Party
        let input: String
        let reading: Reading
        let owner: Owner?
        let stream: AsyncStream<Notice>.Continuation
    }

    private struct State {
        var watchers: [UInt64: Watcher] = [:]
        /// The streams of each caller and of each group.
        var counts: [String: Int] = [:]
        var lastID: UInt64 = 0
        var isClosed = false

        mutating func add(_ watcher: Watcher) -> UInt64 {
            lastID += 1
            watchers[lastID] = watcher
            count(watcher.party, 1)
            return lastID
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
    private let maxWatchers: Int
    private let state = NIOLockedValueBox(State())

    /// - Parameter maxWatchers: streams at most.
    package init(_ registry: Registry, maxWatchers: Int) {
        self.registry = registry
        self.maxWatchers = maxWatchers
    }

    /// How many watch.
    package var count: Int { state.withLockedValue(\.watchers.count) }

    /// Watches a name, until the watch or its notices are let go.
    /// - Throws: ``RegistryError`` `.overloaded`, or `.shareUsed` when the caller or the group has its share.
    package func watch(_ input: String, for owner: Owner? = nil, by party: Party) throws -> Watch {
        let (stream, continuation) = AsyncStream.makeStream(of: Notice.self, bufferingPolicy: .bufferingNewest(1))
        let watcher = Watcher(
            party: party, input: input, reading: Reading(typed: input), owner: owner, stream: continuation)
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

    /// A caller has a quarter of the streams, and a group a half. The last quarter is for callers who have none yet: three
    /// callers with all that they may have leave room for everybody else.
    private func hasShare(_ party: Party, _ state: State) -> Bool {
        let own = state.counts[party.id, default: 0]
        let shared = party.group.map { state.counts[$0, default: 0] } ?? own
        guard own < max(1, maxWatchers / 4), shared < max(1, maxWatchers / 2) else { return false }
        return shared == 0 || state.watchers.count < maxWatchers - maxWatchers / 4
    }

    /// Looks the names up once an interval, until the task is cancelled; then every stream ends.
    package func run(_ clock: some Clock<Duration>) async {
        while !Task.isCancelled {
            // Cut short when the service stops, which the loop sees.
            try? await clock.sleep(for: Self.interval)
            await lookUp()
        }
        let watchers = state.withLockedValue { state in
            state.isClosed = true
            return state.watchers.values.map(\.stream)
        }
        for stream in watchers { stream.finish() }
    }

    /// Looks up everything that is watched, and gives notice.
    func lookUp() async {
        let watchers = state.withLockedValue { Array($0.watchers.values) }
        for start in stride(from: 0, to: watchers.count, by: Self.namesInQuery) {
            await lookUp(watchers[start..<min(start + Self.namesInQuery, watchers.count)])
        }
    }

    private func lookUp(_ watchers: ArraySlice<Watcher>) async {
        do {
            let findings = try await registry.lookups.findings(about: watchers.compactMap(\.reading.handle))
            for watcher in watchers {
                let asker = try await registry.asker(watcher.owner)
                watcher.stream.yield(
                    .decision(try await registry.decide(watcher.input, watcher.reading, findings, asker, .claim)))
            }
        } catch {
            for watcher in watchers { watcher.stream.yield(.unknown) }
        }
    }
}
