import HTTPTypes
import NIOCore
import NIOHTTPTypes
import NIOTLS

/// Performs what the state of the connection decides: passes requests on one at a time, closes the connection after its
/// last response, and enforces the timeouts.
///
/// Each connection has one timer. A later deadline does not move it: when the timer fires too early, it is set again
/// for the rest of the time.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var state: ConnectionState
    private let drain: Drain
    private var timer: Scheduled<Void>?
    /// Time when the timer fires: at the first deadline or earlier.
    private var timerAt = NIODeadline.distantFuture
    private var onLeaving: (() -> Void)?

    init(_ limits: ServerLimits, _ drain: Drain) {
        state = ConnectionState(limits, at: .now())
        self.drain = drain
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // First in the pipeline, before TLS, so that the timeout covers the handshake.
        let watch = ByteWatch { [weak self] in
            self?.state.bytesArrived(at: .now())
            self?.setTimer(context)
        }
        try? context.pipeline.syncOperations.addHandler(watch, position: .first)
        setTimer(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { ended() }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    private func ended() {
        state.closed()
        clientLeft()
        timer?.cancel()
        timer = nil
    }

    /// Calls `action` once the client has closed its side of the connection. One action is kept: a new one replaces it.
    func onDisconnect(_ action: @escaping () -> Void) {
        if state.input == .closed { action() } else { onLeaving = action }
    }

    private func clientLeft() {
        onLeaving?()
        onLeaving = nil
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state.received(unwrapInboundIn(data), at: .now()) {
        case .hold, .discard: return
        case .close: return context.close(promise: nil)
        case .passAfterContinue:
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        case .pass: break
        }
        setTimer(context)
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if state.readRequested() { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard state.failed(error, at: .now()) else { return }
        setTimer(context)
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            if state.inputClosed() { pass(.inputClosed, context) }
            return
        }
        if case TLSUserEvent.handshakeCompleted = event {
            state.handshakeCompleted(at: .now())
            setTimer(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Passes on what was held back, up to the next request that must wait.
    private func passHeld(_ context: ChannelHandlerContext) {
        var parts = 0
        // A later handler takes the parts once it learns that no more will follow for now.
        func endRead() {
            if parts > 0 { context.fireChannelReadComplete() }
            parts = 0
        }
        while let event = state.next(at: .now()) {
            if case .part = event { parts += 1 } else { endRead() }
            pass(event, context)
        }
        endRead()
        setTimer(context)
    }

    private func pass(_ event: ConnectionState.Held, _ context: ChannelHandlerContext) {
        switch event {
        case .part(let part): context.fireChannelRead(wrapInboundOut(part))
        case .failure(let error): context.fireErrorCaught(error)
        case .inputClosed:
            clientLeft()
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        case .read: context.read()
        }
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.kind != .informational: writeHead(head, data, context, promise)
        case .end: writeEnd(data, context, promise)
        case .head, .body:
            guard state.phase != .leaving else { return refuse(promise) }
            context.write(data, promise: promise)
        }
    }

    private func writeHead(
        _ head: HTTPResponse, _ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        let wish: ConnectionState.Persistence = head.headerFields[.connection] == "close" ? .close : .keepAlive
        switch state.responseBegan(wish, isDraining: drain.hasBegun) {
        case .write: context.write(data, promise: promise)
        case .writeClosing:
            var head = head
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
            passHeld(context)
        case .refuse: refuse(promise)
        }
    }

    private func writeEnd(_ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        switch state.responseEnded(at: .now()) {
        case .write:
            context.write(data, promise: promise)
            setTimer(context)
            passHeld(context)
        case .writeAndLeave: leave(context, data, promise)
        case .refuse: refuse(promise)
        }
    }

    private func refuse(_ promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.ioOnClosedChannel) }

    /// Writes the end of the last response, then closes the output.
    private func leave(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        setTimer(context)
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        let loopBound = NIOLoopBound((context, self), eventLoop: context.eventLoop)
        sent.futureResult.whenSuccess {
            let (context, handler) = loopBound.value
            handler.state.lastResponseSent(at: .now())
            handler.setTimer(context)
            context.close(mode: .output, promise: nil)
        }
        context.writeAndFlush(data, promise: sent)
    }

    // MARK: Timeouts

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        state.writabilityChanged(to: context.channel.isWritable, at: .now())
        setTimer(context)
        context.fireChannelWritabilityChanged()
    }

    private func setTimer(_ context: ChannelHandlerContext) {
        let next = state.deadline
        guard next != .distantFuture, timer == nil || next < timerAt else { return }
        timer?.cancel()
        timerAt = next
        timer = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(deadline: next) { [weak self] in
            self?.timerFired(context)
        }
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        timer = nil
        switch state.timerFired(at: .now()) {
        case .wait: setTimer(context)
        case .close: context.close(promise: nil)
        case .respondAndLeave:
            let problem = Problem.requestTimeout.plain
            var head = HTTPResponse(status: problem.status, headerFields: problem.headers)
            head.headerFields[.connection] = "close"
            head.headerFields[.contentLength] = String(problem.body.count)
            head.headerFields[.requestID] = RequestIDs.newID()
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(ByteBuffer(bytes: problem.body))), promise: nil)
            leave(context, wrapOutboundOut(.end(nil)), nil)
        }
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
