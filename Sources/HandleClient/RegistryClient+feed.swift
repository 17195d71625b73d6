import Foundation
import HTTPLoading

/// The feed: the changes of all names in one order. It needs a key with the scope `feed`.
extension RegistryClient {
    /// The next events of the feed, in order; empty when there are none yet.
    /// - Parameters:
    ///   - seq: the number of the last event that the caller has; 0 for the beginning.
    ///   - limit: the maximum number of events, 1 to 1,000.
    /// - Throws: the problem `.cursorExpired` when the feed no longer has all events after `seq`, and `.feedOff`.
    public func events(after seq: Int, limit: Int = 1000) async throws(HandleClientError) -> [HandleEvent] {
        let answer = try await send(
            Call(
                path: "/v1/events",
                query: [(name: "after", value: String(seq)), (name: "limit", value: String(limit))],
                accept: "application/x-ndjson"))
        var events: [HandleEvent] = []
        for line in answer.body.split(separator: UInt8(ascii: "\n")) {
            let event = try ClientAnswer(status: answer.status, body: line).readEvent()
            // In another order the caller would lose events when it goes on from the last one.
            guard event.seq > events.last?.seq ?? seq else { throw .unreadable(status: answer.status) }
            events.append(event)
        }
        return events
    }

    /// The events of the feed after one, and each later event as soon as it is numbered. The stream reconnects by
    /// itself and goes on after its last event: none is left out, and none comes twice.
    ///
    /// It waits while the service can't be reached. It ends when its task is cancelled, and throws
    /// ``HandleClientError`` when reconnecting can't help: the problems `.cursorExpired`, `.feedOff` and those of a
    /// key, and an event that can't be read.
    /// - Parameter seq: the number of the last event that the caller has; 0 for the beginning. To catch up with many
    ///   events, call ``events(after:limit:)`` first: events that arrive while the caller is busy wait in memory.
    public func eventStream(after seq: Int) -> HandleEventStream { HandleEventStream(client: self, seq: seq) }
}

/// The events of ``RegistryClient/eventStream(after:)``. Each iteration begins with the same event.
public struct HandleEventStream: AsyncSequence, Sendable {
    let client: RegistryClient
    let seq: Int

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(client: client, seq: seq) }

    /// Keeps the connection and the number of the last event.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let client: RegistryClient
        var seq: Int
        private var connection: EventConnection?
        private var reconnecting = Reconnecting()
        private var isEnded = false

        init(client: RegistryClient, seq: Int) {
            self.client = client
            self.seq = seq
        }

        /// The next event; nil when the task is cancelled.
        /// - Throws: ``HandleClientError``. The stream has ended then.
        public mutating func next() async throws -> HandleEvent? {
            while !isEnded, !Task.isCancelled {
                do throws(HandleClientError) {
                    if let event = try await read() { return event }
                } catch {
                    guard !Task.isCancelled else { break }
                    (isEnded, connection) = (true, nil)
                    throw error
                }
            }
            (isEnded, connection) = (true, nil)
            return nil
        }

        /// Reads from the connection, or opens one.
        /// - Returns: nil after the end of a connection and the pause that follows.
        private mutating func read() async throws(HandleClientError) -> HandleEvent? {
            var read: ServerSentEvents.Event?
            var failure: HandleClientError?
            do throws(HandleClientError) {
                read = try await readConnection()
            } catch {
                guard error.isPassingForAStream else { throw error }
                failure = error
            }
            guard let read else {
                await pause(after: failure)
                return nil
            }
            // An event that can't be read now can't be read after reconnecting.
            let event = try ClientAnswer(status: 200, body: Data(read.data.utf8)).readEvent()
            guard event.seq > seq else { return nil }
            seq = event.seq
            return event
        }

        /// - Returns: nil when the service has ended the connection normally.
        /// - Throws: also the problem with which the service has ended it.
        private mutating func readConnection() async throws(HandleClientError) -> ServerSentEvents.Event? {
            var open: EventConnection
            if let connection {
                open = connection
            } else {
                open = try await client.connect(
                    Call(path: "/v1/events/stream", query: [(name: "after", value: String(seq))], isStream: true))
            }
            defer { connection = open }
            while let event = try await open.next() {
                switch event.name {
                case "message": return event
                case "problem": throw HandleProblem(event).map { .problem($0) } ?? .unreadable(status: open.status)
                // Events that this version doesn't know.
                default: break
                }
            }
            // A stream of the service has at least its heartbeats.
            guard open.isAlive else { throw .unreadable(status: open.status) }
            return nil
        }

        /// Waits between two connections.
        private mutating func pause(after failure: HandleClientError?) async {
            if let connection, connection.isAlive {
                reconnecting.succeeded()
                reconnecting.ended(connection)
            }
            if let failure { reconnecting.failed(failure) }
            connection = nil
            try? await client.timing.sleep(reconnecting.pause(client.limits))
        }
    }
}

extension ClientAnswer {
    /// Reads an event of the feed.
    fileprivate func readEvent() throws(HandleClientError) -> HandleEvent {
        try read { wire throws(Unreadable) in try HandleEvent(wire) }
    }
}
