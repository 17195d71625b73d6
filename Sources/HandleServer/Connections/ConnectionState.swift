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
    /// The future of the connection after a request and its response.
    enum Persistence { case keepAlive, close }

    enum Progress { case partial, complete }

    enum Phase: Equatable {
        /// Between two requests, or before the first.
        case idle
        /// Bytes have arrived: of the TLS handshake, or of the head of a request.
        case arriving
        /// The body of a request is arriving. It has no response yet.
        case reading(Persistence)
        /// A request is complete and has no response yet.
        case answering(Persistence)
        /// The response to a complete request has begun. The connection stays open after it.
        case responding
        /// The last response has begun. With the progress of its request; it is complete if no more of it is awaited.
        case closing(Progress)
        /// The last response is written. Further input is discarded until the client closes the connection.
        case leaving
    }

    enum Input {
        case open
        /// A message was unreadable. No later part may be passed on, although the decoder may go on.
        case failed
        /// The client has closed its side of the connection, after whole requests.
        case closed
    }

    /// An event that waits behind the request in progress.
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
    /// True once the client has closed its side of the connection and nothing is held back.
    private(set) var clientHasLeft = false
    /// End of the timeout of the phase.
    private var phaseDeadline = NIODeadline.distantFuture
    /// End of the write timeout, which runs while the channel is not writable.
    private var writeDeadline = NIODeadline.distantFuture
    /// False once the time that the service has to stop is over.
    private var waitsForClient = true
    /// In order of arrival, but a read is always the last.
    private var held = CircularBuffer<Held>(initialCapacity: 0)
    /// Bytes of bodies that may still be discarded at the end; each request head counts as 1,024.
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
            begin(part, at: now())
            return .pass
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
        // Only the first error counts.
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
        closed()
        return true
    }

    /// The connection is closed, or its input is.
    mutating func closed() {
        clientHasLeft = true
        if input == .open { input = .closed }
    }

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

    /// Takes the next event that was held back; nil if there is none, or if it is a request that must wait.
    mutating func next(at now: @autoclosure () -> NIODeadline) -> Held? {
        guard let event = held.first else { return nil }
        switch (event, phase) {
        case (.part, .answering), (.part, .responding): return nil
        case (.part(let part), _): begin(part, at: now())
        case (.failure, _): stopRequestTimeout(at: now())
        case (.inputClosed, _): closed()
        case (.read, _): break
        }
        return held.removeFirst()
    }

    // MARK: Responses

    /// A response begins. It is the last one if its request is not complete or can't be read, if one side wants to
    /// close, or if the service drains.
    mutating func responseBegan(_ persistence: Persistence, isDraining: Bool) -> WriteAction {
        switch phase {
        case .leaving: return .refuse
        case .answering(.keepAlive) where persistence == .keepAlive && !isDraining && input != .closed:
            phase = .responding
            return .write
        case .reading: phase = .closing(.partial)
        // Without a request, it is the response to one that can't be read.
        case .idle, .arriving, .answering, .responding: phase = .closing(.complete)
        case .closing: break
        }
        if !held.isEmpty { held.removeAll { if case .part = $0 { true } else { false } } }
        return .writeLast
    }

    /// A response is complete.
    mutating func responseEnded(at now: NIODeadline) -> WriteAction {
        switch phase {
        case .leaving: return .refuse
        // After the client's end, a later handler closes the connection, which must wait until all is sent.
        case .closing,
            .responding where input == .closed:
            enter(.leaving, until: now + TimeAmount(limits.sendTime))
            return .writeLast
        case .responding:
            enter(.idle, until: now + TimeAmount(limits.idleTime))
            return .write
        case .idle, .arriving, .reading, .answering: return .write
        }
    }

    /// A later handler closes the connection, or its output: it has no more to write.
    mutating func closeRequested(at now: NIODeadline) -> CloseAction {
        switch phase {
        case _ where !waitsForClient: return .close
        case .leaving: return .ignore
        // The client's last bytes may have been the end of TLS.
        case .idle, .arriving:
            enter(.leaving, until: now + TimeAmount(limits.sendTime))
            return .closeWhenSent
        case .reading, .answering, .responding, .closing: return .close
        }
    }

    /// The service closes the input of its connections: the time to stop is over.
    /// - Returns: true if the connection is to be closed, false if only its input is.
    mutating func stopRequested() -> Bool {
        waitsForClient = false
        return phase == .leaving
    }

    /// The last response is sent.
    mutating func lastResponseSent(at now: NIODeadline) { enter(.leaving, until: now + Self.leaveTime) }

    // MARK: Timeouts

    mutating func writabilityChanged(to isWritable: Bool, at now: @autoclosure () -> NIODeadline) {
        writeDeadline = isWritable ? .distantFuture : now() + TimeAmount(limits.sendTime)
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
