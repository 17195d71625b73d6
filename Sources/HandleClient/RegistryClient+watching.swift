import Foundation
import HTTPLoading

/// An event about a watched name.
public enum HandleWatchEvent: Sendable {
    /// The first decision, one that differs from the last one, or one after `.unknown`.
    case decision(HandleAvailability)
    /// The decision is unknown until the next one arrives: the service can't reach its database, or is unreachable
    /// itself.
    case unknown(HandleClientError)
}

/// Watching for changed decisions.
extension RegistryClient {
    /// Yields the decision about a name now, and again whenever it changes. The stream reconnects by itself, both when
    /// the service ends it after a while and after a lost connection. A slow reader gets only the newest event.
    ///
    /// It ends when its task is cancelled, and throws ``HandleClientError`` when the service refuses the call
    /// permanently.
    public func watch(_ typed: String, owner: String? = nil) -> AsyncThrowingStream<HandleWatchEvent, any Error> {
        let call = Call(
            path: "/v1/availability/watch", query: Self.question(typed, nil, nil, owner), isStream: true)
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                var watch = Watch(about: typed) { continuation.yield($0) }
                do throws(HandleClientError) {
                    while !Task.isCancelled { try await follow(call, &watch) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// One connection, and the pause after it.
    private func follow(_ call: Call, _ watch: inout Watch) async throws(HandleClientError) {
        do throws(HandleClientError) {
            try await watch.read(connect(call))
            // The service ended the stream normally.
        } catch {
            guard error.isPassingForAStream else { throw error }
            watch.failed(error)
        }
        try? await timing.sleep(watch.reconnecting.pause(limits))
    }
}

/// The state of a watch across connections.
private struct Watch {
    private let typed: String
    private let tell: (HandleWatchEvent) -> Void
    private var last: HandleAvailability?
    private var isUnknown = false
    /// Whether this connection has delivered an event.
    private var hasEvent = false
    private(set) var reconnecting = Reconnecting()

    init(about typed: String, tell: @escaping (HandleWatchEvent) -> Void) {
        self.typed = typed
        self.tell = tell
    }

    mutating func read(_ opened: EventConnection) async throws(HandleClientError) {
        var connection = opened
        hasEvent = false
        while let event = try await connection.next() { try take(event, connection.status) }
        reconnecting.ended(connection)
        // A stream of the service begins with the decision, so this was another stream.
        guard hasEvent else { throw .unreadable(status: connection.status) }
    }

    private mutating func take(_ event: ServerSentEvents.Event, _ status: Int) throws(HandleClientError) {
        switch event.name {
        case "decision":
            let typed = typed
            let decision = try ClientAnswer(status: status, body: Data(event.data.utf8))
                .read { wire throws(Unreadable) in try HandleAvailability(wire, about: typed) }
            reconnecting.succeeded()
            hasEvent = true
            if isUnknown || decision != last { tell(.decision(decision)) }
            (last, isUnknown) = (decision, false)
        case "problem":
            guard let problem = HandleProblem(event) else { throw .unreadable(status: status) }
            hasEvent = true
            loseTrack(.problem(problem))
        // Events that this version doesn't know.
        default: break
        }
    }

    mutating func failed(_ error: HandleClientError) {
        reconnecting.failed(error)
        loseTrack(error)
    }

    private mutating func loseTrack(_ error: HandleClientError) {
        if !isUnknown { tell(.unknown(error)) }
        isUnknown = true
    }
}
