import Hummingbird
import NIOCore
import NIOHTTPTypes
import NIOTLS

/// Sees to it that no connection takes longer than it may: over a request, over reading an answer, over nothing at all.
///
/// There is one timer for each connection. While requests come it is not touched; when it goes off it looks how long
/// there is still to wait.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Phase {
        /// Between two requests.
        case idle
        /// A request has begun and is not complete.
        case reading
        /// A request is complete and has no answer yet.
        case answering
        /// The last answer is given; whatever comes is thrown away until the caller closes.
        case leaving
    }

    private let limits: ServerLimits
    private let gate: Gate
    private let shares: ConnectionShares
    private var phase = Phase.idle
    /// When patience with the present phase ends.
    private var deadline = NIODeadline.distantFuture
    /// When patience with an answer that nobody reads ends.
    private var sendDeadline = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?
    /// Requests that began, that came whole, and that were answered.
    private var (begun, complete, answered) = (0, 0, 0)
    /// The request after which its caller wants to go.
    private var lastWanted = Int.max
    /// Whether the answer to the first request that has none yet was begun.
    private var isAnswerBegun = false
    /// Whether the answer that is being given is the last one.
    private var isLast = false
    /// What may still come of a body that nobody reads.
    private var unreadAllowance = 64 * 1024
    private var isCounted = false
    /// Whether the caller has closed their side, and what is to be done then.
    private var hasLeft = false
    private var onLeaving: () -> Void = {}
    /// From where the caller comes, if that counts; `isRefused` when there are too many from there.
    private var address: InternetAddress?
    private var isRefused = false

    /// How long a caller may take to close after its last answer.
    private static let leaveTime = TimeAmount.seconds(2)

    init(_ limits: ServerLimits, _ gate: Gate, _ shares: ConnectionShares) {
        self.limits = limits
        self.gate = gate
        self.shares = shares
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // First, so that a connection that is counted has its share.
        address = context.remoteAddress.flatMap { InternetAddress($0) }
        if let address, !shares.take(for: address) {
            self.address = nil
            isRefused = true
            gate.connectionRefused()
        }
        isCounted = true
        gate.connectionOpened()
        if gate.isClosing { ListeningSocket.takeEverything(on: context.channel) }
        // In front of everything, TLS included: a caller is also slow who is slow to agree on a secret.
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

    /// Calls `action` once the caller will say no more. There is one such action, of the last answer.
    func whenCallerLeaves(_ action: @escaping () -> Void) {
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
        // The bytes until now were no request: its time begins with its own.
        if case TLSUserEvent.handshakeCompleted = event, phase == .reading {
            enter(.idle, for: limits.idleTime, context)
        }
        if case ChannelEvent.inputClosed = event { callerLeft() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // It has said all that will be read.
        if phase == .reading { enter(.answering, for: limits.idleTime, context) }
        context.fireErrorCaught(error)
    }

    /// Reads on after the last answer, or the caller might not get to read it; but not for ever.
    private func discard(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        guard case .body(let bytes) = part else { return }
        unreadAllowance -= bytes.readableBytes
        if unreadAllowance < 0 { context.close(promise: nil) }
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard phase != .leaving else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational:
            isAnswerBegun = true
            // Who has an answer before they have said all has to begin anew.
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

    /// Gives the end of the last answer, and says that no more will come. The caller closes; if we did while
    /// something of it is still under way, the answer itself would be lost.
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

    /// The timer goes off at the first deadline, or earlier.
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

/// Says when bytes come, whatever they are.
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
