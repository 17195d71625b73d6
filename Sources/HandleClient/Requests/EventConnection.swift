import Foundation
import HTTPLoading

/// One connection that delivers server-sent events.
struct EventConnection {
    /// The status of the response.
    let status: Int
    /// Whether anything has arrived.
    private(set) var isAlive = false
    private var parts: AsyncThrowingStream<Data, any Error>.Iterator
    private var events = ServerSentEvents()
    private var ready: ArraySlice<ServerSentEvents.Event> = []

    /// - Throws: `.unreadable` when the response has other content, such as a proxy's page.
    init(_ answer: TransportAnswer) throws(HandleClientError) {
        guard answer.fields["content-type"]?.hasPrefix("text/event-stream") == true else {
            throw .unreadable(status: answer.status)
        }
        status = answer.status
        parts = answer.body.makeAsyncIterator()
    }

    /// The pause before reconnecting that the stream asks for.
    var retry: Duration? { events.retry }

    /// The next event; nil when the service has ended the stream normally, or the task is cancelled.
    mutating func next() async throws(HandleClientError) -> ServerSentEvents.Event? {
        while true {
            if let event = ready.popFirst() { return event }
            do {
                guard let part = try await parts.next() else { return nil }
                isAlive = true
                ready = try events.read(part)[...]
            } catch let error as HandleClientError {
                throw error
            } catch is ServerSentEvents.TooLong {
                throw .unreadable(status: status)
            } catch {
                throw Task.isCancelled ? .cancelled : .answerLost
            }
        }
    }
}

/// The pauses between the connections of one stream.
struct Reconnecting {
    /// Consecutive connections that failed.
    private var failures = 0
    /// The pause that the service asked for.
    private var leastPause: Duration?

    mutating func succeeded() { failures = 0 }

    mutating func ended(_ connection: EventConnection) { leastPause = connection.retry }

    mutating func failed(_ error: HandleClientError) {
        failures += 1
        leastPause = error.retryAfter
    }

    /// The pause before the next connection.
    func pause(_ limits: RegistryClient.Limits) -> Duration {
        let pause = limits.reconnecting.lowerBound * (1 << min(failures, 10))
        return max(leastPause ?? .zero, min(pause, limits.reconnecting.upperBound))
    }
}

extension RegistryClient {
    /// Opens a stream of server-sent events.
    func connect(_ call: Call) async throws(HandleClientError) -> EventConnection {
        let answer = try await withToken { token throws(HandleClientError) in
            try await inTime(limits.answer) { () throws(HandleClientError) in try await open(call, token) }
        }
        return try EventConnection(answer)
    }
}

extension HandleClientError {
    /// Whether a stream reconnects. After `.noToken` it does: the app may sign the person in again.
    var isPassingForAStream: Bool { code == .noToken || isTransient || problem?.code == .tooManyStreams }
}

extension HandleProblem {
    /// The problem in an event of a stream; nil when it can't be read.
    init?(_ event: ServerSentEvents.Event) {
        struct Wire: Decodable { let status: Int? }
        let body = Data(event.data.utf8)
        let wire = try? JSONDecoder().decode(Wire.self, from: body)
        self.init(status: wire?.status ?? 503, fields: [:], body: body)
    }
}
