import Hummingbird
import NIOCore
import NIOHTTPTypes
import NIOTLS

/// Enforces the timeouts of a connection: the request timeout, the write timeout and the keep-alive (idle) timeout.
///
/// Each connection has one timer. A later deadline does not move it: when the timer fires too early, it is set again
/// for the rest of the time.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Phase {
        /// Idle, between two requests.
        case idle
        /// A request has begun and is not complete.
        case reading
        /// A request is complete and has no response yet.
        case answering
        /// The last response is written. Further input is discarded until the client closes the connection.
        case leaving
    }

    private let limits: ServerLimits
    private let gate: Gate
    private let shares: ConnectionShares
    private var phase = Phase.idle
    /// End of the timeout of the current phase.
    private var deadline = NIODeadline.distantFuture
    /// End of the write timeout, which runs while the channel is not writable.
    private var sendDeadline = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?
    /// Numbers of requests that have begun, that are complete, and that have a complete response.
    private var (begun, complete, answered) = (0, 0, 0)
    /// Number of the request with `Connection: close`, counted from 1.
    private var lastWanted = Int.max
    /// True if the response to the oldest unanswered request has begun.
    private var isAnswerBegun = false
    /// True if the current response is the last one of the connection.
    private var isLast = false
    /// Bytes of body that may still arrive after the last response.
    private var unreadAllowance = 64 * 1024
    private var isCounted = false
    /// True once the client has closed its side of the connection; `onLeaving` is called then.
    private var hasLeft = false
    private var onLeaving: () -> Void = {}
    /// The client's address, if it holds a share; `isRefused` is true if its network has too many connections.
    private var address: InternetAddress?
    private var isRefused = false

    /// Time that the client has to close the connection after the last response.
    private static let leaveTime = TimeAmount.seconds(2)

    init(_ limits: ServerLimits, _ gate: Gate, _ shares: ConnectionShares) {
        self.limits = limits
        self.gate = gate
        self.shares = shares
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // Take the share before the connection is counted, so that a counted connection has its share already.
        address = context.remoteAddress.flatMap { InternetAddress($0) }
        if let address, !shares.take(for: address) {
            self.address = nil
            isRefused = true
            gate.connectionRefused()
        }
        isCounted = true
        gate.connectionOpened()
        if gate.isClosing { ListeningSocket.takeEverything(on: context.channel) }
        // First in the pipeline, before TLS, so that the timeout covers the handshake.
        try? context.pipeline.syncOperations.addHandler(
            ByteWatch { [weak self] in self?.bytesCame(context) }, position: .first)
        enter(.idle, for: limits.idleTime, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { ended() }

    func channelActive(context: ChannelHandlerContext) {
        guard !isRefused else { return context.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    /// Calls `action` once the client has closed its side of the connection. One action is kept: a new one replaces it.
    func onDisconnect(_ action: @escaping () -> Void) {
        if hasLeft { action() } else { onLeaving = action }
    }

    private func callerLeft() {
        hasLeft = true
        onLeaving()
        onLeaving = {}
    }

    private func ended() {
        callerLeft()
        timer?.cancel()
        timer = nil
        if isCounted { gate.connectionClosed() }
        isCounted = false
        if let address { shares.giveBack(for: address) }
        address = nil
    }

    // MARK: Requests

    private func bytesCame(_ context: ChannelHandlerContext) {
        if phase == .idle { enter(.reading, for: limits.requestTime, context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard phase != .leaving else { return discard(part, context) }
        switch part {
        case .head(let head):
            begun += 1
            if head.headerFields[.connection]?.lowercased() == "close" { lastWanted = begun }
            if phase != .reading { enter(.reading, for: limits.requestTime, context) }
            if head.headerFields[.expect]?.lowercased() == "100-continue" {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        case .body: break
        case .end:
            complete += 1
            (phase, deadline) = (.answering, .distantFuture)
        }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The bytes so far were the handshake. The request timeout starts with the first byte of the request.
        if case TLSUserEvent.handshakeCompleted = event, phase == .reading {
            enter(.idle, for: limits.idleTime, context)
        }
        if case ChannelEvent.inputClosed = event { callerLeft() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // No more of the request will be read, so the request timeout no longer applies.
        if phase == .reading { enter(.answering, for: limits.idleTime, context) }
        context.fireErrorCaught(error)
    }

    /// Discards input after the last response. Without reading on, the client might not get the response. The amount is
    /// limited.
    private func discard(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        guard case .body(let bytes) = part else { return }
        unreadAllowance -= bytes.readableBytes
        if unreadAllowance < 0 { context.close(promise: nil) }
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard phase != .leaving else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational:
            isAnswerBegun = true
            // A response that starts before the request is complete closes the connection.
            isLast =
                gate.isDraining || complete == answered || answered + 1 == lastWanted
                || head.headerFields[.connection] == "close"
            if isLast { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isLast:
            leave(context, data, promise)
        case .end:
            answered += 1
            isAnswerBegun = false
            context.write(data, promise: promise)
            if begun == answered { enter(.idle, for: limits.idleTime, context) }
        case .head, .body:
            context.write(data, promise: promise)
        }
    }

    /// Writes the end of the last response, then closes the output. The client closes the connection: if the server did
    /// so while parts of the request are still in flight, the response would be lost.
    private func leave(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        enter(.leaving, for: limits.sendTime, context)
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        let loopBound = NIOLoopBound((context, self), eventLoop: context.eventLoop)
        sent.futureResult.whenSuccess {
            let (context, guardian) = loopBound.value
            guardian.deadline = .now() + Self.leaveTime
            guardian.setTimer(context)
            context.close(mode: .output, promise: nil)
        }
        context.writeAndFlush(data, promise: sent)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            sendDeadline = .distantFuture
        } else {
            sendDeadline = .now() + TimeAmount(limits.sendTime)
            setTimer(context)
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Time

    private func enter(_ phase: Phase, for time: Duration, _ context: ChannelHandlerContext) {
        self.phase = phase
        deadline = .now() + TimeAmount(time)
        setTimer(context)
    }

    /// Time when the timer fires: at the first deadline or earlier.
    private var timerAt = NIODeadline.distantFuture

    private func setTimer(_ context: ChannelHandlerContext) {
        let next = min(deadline, sendDeadline)
        guard next != .distantFuture, timer == nil || next < timerAt else { return }
        timer?.cancel()
        timerAt = next
        timer = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(deadline: next) { [weak self] in
            self?.timeIsUp(context)
        }
    }

    private func timeIsUp(_ context: ChannelHandlerContext) {
        timer = nil
        guard min(deadline, sendDeadline) <= .now() else { return setTimer(context) }
        guard phase == .reading, complete == answered, !isAnswerBegun, sendDeadline > .now() else {
            return context.close(promise: nil)
        }
        let problem = Problem.requestTimeout.plain
        var head = HTTPResponse(status: problem.status, headerFields: problem.headers)
        head.headerFields[.connection] = "close"
        head.headerFields[.contentLength] = String(problem.body.count)
        head.headerFields[.requestID] = RequestIDs.newID()
        isLast = true
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: problem.body))), promise: nil)
        leave(context, wrapOutboundOut(.end(nil)), nil)
    }
}

/// Calls a closure for each read of bytes, before they are decrypted or decoded.
private final class ByteWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let onBytes: () -> Void

    init(_ onBytes: @escaping () -> Void) { self.onBytes = onBytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        onBytes()
        context.fireChannelRead(data)
    }
}

extension Problem {
    static let requestTimeout = Problem(
        .requestTimeout, "The request was not complete in time; send it without pauses.")
}
