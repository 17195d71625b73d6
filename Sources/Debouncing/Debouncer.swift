/// Debounces calls by key: of several calls in quick succession only the last one does its work. A call waits for a
/// pause. It ends at once when a newer call with the same key arrives, whether it is still waiting or already working.
///
/// So an old result never follows a newer one. Calls may carry a number, such as a count of keystrokes. A call that
/// arrives after one with a higher number also ends at once, even if that one has finished.
///
/// At most ``Limits/calls`` calls wait or work at a time, and the numbers of the last ``Limits/rememberedKeys`` keys
/// are remembered, so memory is bounded.
///
/// ```swift
/// let debouncer = Debouncer<String, ContinuousClock>(pause: .milliseconds(300), clock: ContinuousClock())
/// let found = try await debouncer.run("field") { "the answer for the last text" }
/// ```
public actor Debouncer<Key: Hashable & Sendable, C: Clock> where C.Duration == Duration {
    /// The limits of memory.
    public struct Limits: Sendable {
        /// Calls that wait or work.
        public var calls: Int
        /// Keys without a call, for which the last number is remembered.
        public var rememberedKeys: Int

        /// Neither number may be negative. With `rememberedKeys` 0 the last number of a key is forgotten at the end of
        /// its call.
        public init(calls: Int = 20_000, rememberedKeys: Int = 10_000) {
            self.calls = calls
            self.rememberedKeys = rememberedKeys
        }
    }

    /// Counts since the start.
    public struct Metrics: Sendable {
        /// Calls that arrived, including those that ended at once.
        public internal(set) var calls = 0
        /// Calls that a newer one ended, or that arrived after one with a higher number.
        public internal(set) var superseded = 0
        /// Calls that began their work after the pause.
        public internal(set) var begun = 0
        /// Calls that wait or work now.
        public internal(set) var current = 0
    }

    /// The last call of a key.
    private struct Place {
        /// Unique for each call.
        let ticket: UInt64
        let number: UInt64?
        /// Ends the call with an error; nil once it has ended.
        var end: ((any Error) -> Void)?
    }

    private let pause: Duration
    private let clock: C
    private let limits: Limits
    private var places: [Key: Place] = [:]
    private var lastTicket: UInt64 = 0
    /// Keys with no call any more, as a ring; the key at `oldest` is forgotten first.
    private var ended: [(key: Key, ticket: UInt64)] = []
    private var oldest = 0
    /// The counts since this debouncer was made.
    public private(set) var metrics = Metrics()

    /// - Parameters:
    ///   - pause: how long a call waits for a newer one.
    ///   - clock: measures the pause.
    ///   - limits: the limits of memory.
    public init(pause: Duration, clock: C, limits: Limits = Limits()) {
        self.pause = pause
        self.clock = clock
        self.limits = limits
    }

    /// The number of keys in memory.
    public var keys: Int { places.count }

    /// Does `work` after the pause, unless a newer call with the same key arrives first.
    /// - Parameters:
    ///   - key: calls with different keys don't affect each other.
    ///   - number: grows from call to call of a key; nil when calls arrive in order.
    ///   - work: its result is that of the call. It is cancelled when a newer call arrives.
    /// - Throws: ``DebouncingError`` `.superseded` as soon as a newer call arrives, or `.overloaded`;
    ///   `CancellationError`; the errors of `work`.
    public func run<Value: Sendable>(
        _ key: Key, number: UInt64? = nil, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // A call that is already cancelled must not supersede a newer call.
        try Task.checkCancellation()
        metrics.calls += 1
        try makeWay(for: key, number)
        lastTicket += 1
        let ticket = lastTicket
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // In a separate task, because the call may have to end before its work does.
                let task = Task {
                    let result: Result<Value, any Error>
                    do {
                        try await clock.sleep(until: clock.now.advanced(by: pause), tolerance: nil)
                        metrics.begun += 1
                        result = .success(try await work())
                    } catch {
                        result = .failure(error)
                    }
                    if leave(key, ticket) { continuation.resume(with: result) }
                }
                metrics.current += 1
                places[key] = Place(ticket: ticket, number: number) { error in
                    task.cancel()
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            Task { await self.cancel(key, ticket) }
        }
    }

    /// Supersedes the current call of the key, unless that one is newer.
    private func makeWay(for key: Key, _ number: UInt64?) throws {
        let place = places[key]
        if let number, let last = place?.number, number < last {
            metrics.superseded += 1
            throw DebouncingError.superseded
        }
        if let place, let end = place.end {
            metrics.superseded += 1
            metrics.current -= 1
            end(DebouncingError.superseded)
        } else if metrics.current >= limits.calls {
            throw DebouncingError.overloaded
        }
    }

    private func cancel(_ key: Key, _ ticket: UInt64) {
        guard let end = places[key]?.end, leave(key, ticket) else { return }
        end(CancellationError())
    }

    /// Ends a call.
    /// - Returns: whether this ended it; then the caller must resume its continuation.
    private func leave(_ key: Key, _ ticket: UInt64) -> Bool {
        guard let place = places[key], place.ticket == ticket, place.end != nil else { return false }
        metrics.current -= 1
        if place.number == nil || limits.rememberedKeys == 0 {
            places[key] = nil
        } else {
            places[key]?.end = nil
            remember(key, ticket)
        }
        return true
    }

    /// Remembers the number of a key without a call. It replaces the key that has been without a call the longest.
    private func remember(_ key: Key, _ ticket: UInt64) {
        guard ended.count >= limits.rememberedKeys else { return ended.append((key, ticket)) }
        let forgotten = ended[oldest]
        if let place = places[forgotten.key], place.ticket == forgotten.ticket { places[forgotten.key] = nil }
        ended[oldest] = (key, ticket)
        oldest = (oldest + 1) % limits.rememberedKeys
    }
}
