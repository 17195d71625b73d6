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
    private let bytes = BytesHandler()

    init(_ limits: ServerLimits, _ drain: Drain) {
        state = ConnectionState(limits, at: .now())
        self.drain = drain
    }

    func handlerAdded(context: ChannelHandlerContext) {
        bytes.onArrival = { [weak self] in
            self?.state.bytesArrived(at: .now())
            self?.setTimer(context)
        }
        // First in the pipeline, before TLS, so that the timeout covers the handshake.
        try? context.pipeline.syncOperations.addHandler(bytes, position: .first)
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
        if state.clientHasLeft { action() } else { onLeaving = action }
    }

    private func clientLeft() {
        onLeaving?()
        onLeaving = nil
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch state.received(part, at: .now()) {
        case .hold, .discard: return
        case .close: return context.close(promise: nil)
        case .pass: break
        }
        setTimer(context)
        pass(part, data, context)
    }

    /// Passes a part on. A client that waits before it sends the body is told to go on when its turn has come.
    private func pass(_ part: HTTPRequestPart, _ data: NIOAny, _ context: ChannelHandlerContext) {
        if part.expectsContinue {
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
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
        // The channel of the application delivers parts only at the end of a read.
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
        case .part(let part): pass(part, wrapInboundOut(part), context)
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
        case .writeLast:
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
        case .writeLast: leave(context, data, promise)
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

    /// If the client has closed its side, a close of the output closes the whole connection at once, and with it what is
    /// not sent yet. So a close waits.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode != .input else {
            return context.close(mode: state.stopRequested() ? .all : .input, promise: promise)
        }
        switch state.closeRequested(at: .now()) {
        case .close: context.close(mode: mode, promise: promise)
        case .ignore: context.channel.closeFuture.cascade(to: promise)
        case .closeWhenSent:
            setTimer(context)
            let sent = context.eventLoop.makePromise(of: Void.self)
            let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
            sent.futureResult.whenComplete { _ in loopBound.value.close(mode: mode, promise: promise) }
            bytes.sendAll(sent)
        }
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
            context.fireErrorCaught(RequestTimeout())
        }
    }
}

/// The bytes of the connection, before they are decrypted and after they are encrypted.
private final class BytesHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Called for each read.
    var onArrival: () -> Void = {}
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// Ends the cycle of references by which the connection would never be freed.
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        onArrival = {}
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        onArrival()
        context.fireChannelRead(data)
    }

    /// Completes the promise once all that was written is sent, or can't be sent.
    func sendAll(_ promise: EventLoopPromise<Void>) {
        guard let context else { return promise.succeed() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
    }
}

/// The error that readers of a request get if it is not complete in time.
struct RequestTimeout: Error {}

extension Problem {
    static let requestTimeout = Problem(
        .requestTimeout, "The request was not complete in time; send it without pauses.")
}
