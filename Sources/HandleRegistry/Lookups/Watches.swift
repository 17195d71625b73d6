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

    private struct Watcher: Sendable {
        let input: String
        let reading: Reading
        let owner: Owner?
        let stream: AsyncStream<Notice>.Continuation
    }

    private struct State {
        var watchers: [UInt64: Watcher] = [:]
        var lastID: UInt64 = 0
        var isClosed = false
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
    /// - Throws: ``RegistryError`` `.overloaded`.
    package func watch(_ input: String, for owner: Owner? = nil) throws -> Watch {
        let (stream, continuation) = AsyncStream.makeStream(of: Notice.self, bufferingPolicy: .bufferingNewest(1))
        let watcher = Watcher(input: input, reading: Reading(typed: input), owner: owner, stream: continuation)
        let id = try state.withLockedValue { state in
            guard !state.isClosed, state.watchers.count < maxWatchers else {
                throw RegistryError(.overloaded, "too many names are watched, or the service is stopping")
            }
            state.lastID += 1
            state.watchers[state.lastID] = watcher
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLockedValue { $0.watchers[id] = nil }
        }
        return Watch(notices: stream) { continuation.finish() }
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
                    .decision(try registry.decide(watcher.input, watcher.reading, findings, asker, .claim)))
            }
        } catch {
            for watcher in watchers { watcher.stream.yield(.unknown) }
        }
    }
}
