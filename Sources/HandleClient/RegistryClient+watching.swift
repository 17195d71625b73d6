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
            let answer = try await withToken { token throws(HandleClientError) in
                try await inTime(limits.answer) { () throws(HandleClientError) in try await open(call, token) }
            }
            try await watch.read(answer)
            // The service ended the stream normally.
        } catch {
            guard error.isPassingForAWatch else { throw error }
            watch.failed(error)
        }
        let pause = min(limits.reconnecting.lowerBound * (1 << min(watch.failures, 10)), limits.reconnecting.upperBound)
        try? await timing.sleep(max(watch.leastPause ?? .zero, pause))
    }
}

extension HandleClientError {
    /// Whether a watch reconnects. After `.noToken` it does: the app may sign the person in again.
    fileprivate var isPassingForAWatch: Bool {
        code == .noToken || isTransient || problem?.code == .tooManyStreams
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
    /// Consecutive connections that delivered no event.
    private(set) var failures = 0
    /// The pause that the service asked for.
    private(set) var leastPause: Duration?

    init(about typed: String, tell: @escaping (HandleWatchEvent) -> Void) {
        self.typed = typed
        self.tell = tell
    }

    mutating func read(_ answer: TransportAnswer) async throws(HandleClientError) {
        guard answer.fields["content-type"]?.hasPrefix("text/event-stream") == true else {
            throw .unreadable(status: answer.status)
        }
        var events = ServerSentEvents()
        hasEvent = false
        do {
            for try await part in answer.body {
                for event in try events.read(part) { try take(event, answer) }
                leastPause = events.retry
            }
        } catch let error as HandleClientError {
            throw error
        } catch is ServerSentEvents.TooLong {
            throw .unreadable(status: answer.status)
        } catch {
            throw Task.isCancelled ? .cancelled : .answerLost
        }
        // A stream of the service begins with the decision, so this was another stream.
        guard hasEvent else { throw .unreadable(status: answer.status) }
    }

    private mutating func take(_ event: ServerSentEvents.Event, _ answer: TransportAnswer) throws(HandleClientError) {
        let body = ClientAnswer(status: answer.status, body: Data(event.data.utf8))
        switch event.name {
        case "decision":
            let typed = typed
            let decision = try body.read { wire throws(Unreadable) in try HandleAvailability(wire, about: typed) }
            failures = 0
            hasEvent = true
            if isUnknown || decision != last { tell(.decision(decision)) }
            (last, isUnknown) = (decision, false)
        case "problem":
            guard let problem = HandleProblem(status: 503, fields: [:], body: body.body) else {
                throw .unreadable(status: answer.status)
            }
            hasEvent = true
            loseTrack(.problem(problem))
        // Events that this version doesn't know.
        default: break
        }
    }

    mutating func failed(_ error: HandleClientError) {
        failures += 1
        leastPause = error.retryAfter
        loseTrack(error)
    }

    private mutating func loseTrack(_ error: HandleClientError) {
        if !isUnknown { tell(.unknown(error)) }
        isUnknown = true
    }
}
