import NIOConcurrencyHelpers

/// A queue of events for one reader.
final class Inbox<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var reader: CheckedContinuation<Event?, Never>?
    }

    struct NothingCame: Error {}

    private let state = NIOLockedValueBox(State())

    func put(_ event: Event) {
        let reader = state.withLockedValue { state in
            defer { state.reader = nil }
            if state.reader == nil { state.events.append(event) }
            return state.reader
        }
        reader?.resume(returning: event)
    }

    /// The next event, which is waited for. Only an event that never comes takes the whole limit.
    func next(within limit: Duration = .seconds(120)) async throws -> Event {
        let timeout = Task {
            try await Task.sleep(for: limit)
            state.withLockedValue { state in
                defer { state.reader = nil }
                return state.reader
            }?.resume(returning: nil)
        }
        defer { timeout.cancel() }
        let event = await withCheckedContinuation { continuation in
            let event = state.withLockedValue { state -> Event? in
                if state.events.isEmpty {
                    state.reader = continuation
                    return nil
                }
                return state.events.removeFirst()
            }
            if let event { continuation.resume(returning: event) }
        }
        guard let event else { throw NothingCame() }
        return event
    }

    /// The next event if there is one.
    func nextIfAny() -> Event? {
        state.withLockedValue { $0.events.isEmpty ? nil : $0.events.removeFirst() }
    }
}
