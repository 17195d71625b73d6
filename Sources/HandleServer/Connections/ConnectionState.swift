import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// The state of an HTTP/1.1 connection: the request in progress, the events held back behind it, and the timeouts.
///
/// A value without a channel or a clock: the handler reports each event, and performs what is returned.
///
/// Requests are passed on one at a time: each once the one before it has its response, and none after the last
/// response. Pipelined requests are held back, and no more is read meanwhile. After a response with `Connection: close`,
/// no further request may be processed (RFC 9112, 9.6): its client can't get a response, and will have sent the request
/// again on another connection.
struct ConnectionState {
    /// The client's wish for the connection after its request.
    enum Persistence { case keepAlive, close }

    enum Progress { case partial, complete }

    enum Phase: Equatable {
        /// No byte has arrived since the connection began, or since the last response ended.
        case idle
        /// The head of a request is arriving.
        case arriving
        /// The body of a request is arriving. It has no response yet.
        case reading(Persistence)
        /// A request is complete and has no response yet.
        case answering(Persistence)
        /// The response to a complete request has begun. The connection stays open after it.
        case responding
        /// The last response has begun. Its request may still be arriving.
        case closing(Progress)
        /// The last response is written. Further input is discarded until the client closes the connection.
        case leaving
    }

    enum Input {
        case open
        /// A message was unreadable: no part of a request can follow.
        case failed
        /// The client has closed its side of the connection.
        case closed
    }

    /// An event from the client that waits behind the request in progress.
    enum Held {
        case part(HTTPRequestPart)
        case failure(any Error)
        case inputClosed
        /// A later handler's wish to read more.
        case read
    }

    private let limits: ServerLimits
    private(set) var phase = Phase.idle
    private(set) var input = Input.open
    /// End of the timeout of the phase.
    private var phaseDeadline = NIODeadline.distantFuture
    /// End of the write timeout, which runs while the channel is not writable.
    private var writeDeadline = NIODeadline.distantFuture
    /// In order of arrival; a read is always the last.
    private var held = CircularBuffer<Held>(initialCapacity: 0)
    /// Bytes that may still arrive after the last request; each request head counts as 1,024.
    private var unreadAllowance = 64 * 1024

    /// Time that the client has to close the connection after the last response.
    static let leaveTime = TimeAmount.seconds(2)

    init(_ limits: ServerLimits, at now: NIODeadline) {
        self.limits = limits
        enter(.idle, until: now + TimeAmount(limits.idleTime))
    }

    /// The time of the next timeout.
    var deadline: NIODeadline { min(phaseDeadline, writeDeadline) }

    private mutating func enter(_ phase: Phase, until deadline: NIODeadline) {
        self.phase = phase
        phaseDeadline = deadline
    }

    // MARK: Input

    /// Bytes arrived, before they are decrypted or decoded.
    mutating func bytesArrived(at now: @autoclosure () -> NIODeadline) {
        if phase == .idle { enter(.arriving, until: now() + TimeAmount(limits.requestTime)) }
    }

    /// The bytes so far were the TLS handshake. The request timeout starts with the first byte of the request.
    mutating func handshakeCompleted(at now: NIODeadline) {
        if phase == .arriving { enter(.idle, until: now + TimeAmount(limits.idleTime)) }
    }

    enum Arrival: Equatable {
        case pass
        /// Write a response with status 100, then pass the head on.
        case passAfterContinue
        case hold
        case discard
        case close
    }

    /// A part of a request arrived.
    mutating func received(_ part: HTTPRequestPart, at now: @autoclosure () -> NIODeadline) -> Arrival {
        switch (phase, input) {
        case (.leaving, _), (.closing(.complete), _):
            unreadAllowance -= part.allowance
            return unreadAllowance < 0 ? .close : .discard
        case (_, .failed), (_, .closed):
            return .discard
        case (.answering, .open), (.responding, .open):
            hold(.part(part))
            return .hold
        case (.idle, .open), (.arriving, .open), (.reading, .open), (.closing(.partial), .open):
            // Parts that wait come first.
            guard held.isEmpty else {
                hold(.part(part))
                return .hold
            }
            begin(part, at: now())
            return part.expectsContinue ? .passAfterContinue : .pass
        }
    }

    /// Notes a part of the request in progress, or the head of a new one.
    private mutating func begin(_ part: HTTPRequestPart, at now: @autoclosure () -> NIODeadline) {
        switch part {
        case .head(let head):
            let end = phase == .arriving ? phaseDeadline : now() + TimeAmount(limits.requestTime)
            enter(.reading(head.persistence), until: end)
        case .body: break
        case .end:
            if case .reading(let persistence) = phase { phase = .answering(persistence) }
            if phase == .closing(.partial) { phase = .closing(.complete) }
            phaseDeadline = .distantFuture
        }
    }

    /// The input is unreadable. The server responds to that once it has responded to the requests before.
    /// - Returns: true if the error is to be passed on, false if it is held back.
    mutating func failed(_ error: any Error, at now: @autoclosure () -> NIODeadline) -> Bool {
        // Later errors are of the rest of the same message.
        guard input == .open else { return held.isEmpty }
        input = .failed
        guard held.isEmpty else {
            hold(.failure(error))
            return false
        }
        stopRequestTimeout(at: now())
        return true
    }

    /// No more of the request will be read, so the request timeout no longer applies.
    private mutating func stopRequestTimeout(at now: @autoclosure () -> NIODeadline) {
        switch phase {
        case .arriving, .reading, .closing(.partial): phaseDeadline = now() + TimeAmount(limits.idleTime)
        case .idle, .answering, .responding, .closing(.complete), .leaving: break
        }
    }

    /// The client closed its side of the connection.
    /// - Returns: true if the event is to be passed on, false if it is held back.
    mutating func inputClosed() -> Bool {
        guard held.isEmpty else {
            hold(.inputClosed)
            return false
        }
        input = .closed
        return true
    }

    /// The connection is closed.
    mutating func closed() { input = .closed }

    /// A later handler wants to read more.
    /// - Returns: true if the read is to be passed on, false if it is held back.
    mutating func readRequested() -> Bool {
        if held.isEmpty { return true }
        hold(.read)
        return false
    }

    private mutating func hold(_ event: Held) {
        guard case .read? = held.last else { return held.append(event) }
        if case .read = event { return }
        held.insert(event, at: held.index(before: held.endIndex))
    }

    /// Takes the next event that was held back; nil if the request in progress is not answered yet.
    mutating func next(at now: @autoclosure () -> NIODeadline) -> Held? {
        guard let event = held.first else { return nil }
        switch (event, phase) {
        case (.part, .answering), (.part, .responding): return nil
        case (.part(let part), _): begin(part, at: now())
        case (.failure, _): stopRequestTimeout(at: now())
        case (.inputClosed, _): input = .closed
        case (.read, _): break
        }
        return held.removeFirst()
    }

    // MARK: Responses

    enum HeadAction {
        case write
        /// Write the head with `Connection: close`.
        case writeClosing
        /// The last response is written already.
        case refuse
    }

    /// A response begins. It is the last one if its request is not complete, or if one side wants to close.
    mutating func responseBegan(_ persistence: Persistence, isDraining: Bool) -> HeadAction {
        switch phase {
        case .leaving: return .refuse
        case .answering(.keepAlive) where persistence == .keepAlive && !isDraining:
            phase = .responding
            return .write
        case .reading: phase = .closing(.partial)
        case .idle, .arriving, .answering, .responding: phase = .closing(.complete)
        case .closing: break
        }
        if !held.isEmpty { held.removeAll { if case .part = $0 { true } else { false } } }
        return .writeClosing
    }

    enum EndAction {
        case write
        /// Write the end, then close the output. The client closes the connection: if the server did so while parts of
        /// the request are still in flight, the response would be lost.
        case writeAndLeave
        /// The last response is written already.
        case refuse
    }

    /// A response is complete.
    mutating func responseEnded(at now: NIODeadline) -> EndAction {
        switch phase {
        case .leaving: return .refuse
        case .closing:
            enter(.leaving, until: now + TimeAmount(limits.sendTime))
            return .writeAndLeave
        case .responding:
            enter(.idle, until: now + TimeAmount(limits.idleTime))
            return .write
        case .idle, .arriving, .reading, .answering: return .write
        }
    }

    /// The last response is sent.
    mutating func lastResponseSent(at now: NIODeadline) { enter(.leaving, until: now + Self.leaveTime) }

    // MARK: Timeouts

    mutating func writabilityChanged(to isWritable: Bool, at now: @autoclosure () -> NIODeadline) {
        writeDeadline = isWritable ? .distantFuture : now() + TimeAmount(limits.sendTime)
    }

    enum TimeoutAction {
        /// The deadline was moved since the timer was set.
        case wait
        /// Respond with 408, then close the output.
        case respondAndLeave
        case close
    }

    /// The timer fired.
    mutating func timerFired(at now: NIODeadline) -> TimeoutAction {
        guard deadline <= now else { return .wait }
        guard writeDeadline > now, input == .open else { return .close }
        switch phase {
        case .arriving, .reading:
            enter(.leaving, until: now + TimeAmount(limits.sendTime))
            return .respondAndLeave
        case .idle, .answering, .responding, .closing, .leaving: return .close
        }
    }
}

extension HTTPRequestPart {
    fileprivate var expectsContinue: Bool {
        guard case .head(let head) = self else { return false }
        return head.headerFields[.expect]?.lowercased() == "100-continue"
    }

    /// The bytes that the part counts for after the last request.
    fileprivate var allowance: Int {
        switch self {
        case .head: 1024
        case .body(let bytes): bytes.readableBytes
        case .end: 0
        }
    }
}

extension HTTPRequest {
    fileprivate var persistence: ConnectionState.Persistence {
        headerFields[.connection]?.lowercased() == "close" ? .close : .keepAlive
    }
}
