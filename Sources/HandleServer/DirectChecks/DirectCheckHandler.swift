import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers the direct checks of a connection; later handlers don't see these requests.
///
/// The handler before it passes on one request at a time. While a check has no response yet, errors, events and closes are
/// held back, because they would end the connection.
final class DirectCheckHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum State {
        case passing
        /// The head of a request that may be a direct check has arrived, but not its end.
        case reading(HTTPRequest)
        /// A check has no response yet.
        case answering
    }

    private enum Held {
        case event(Any)
        case failure(any Error)
        case close(CloseMode, EventLoopPromise<Void>?)
    }

    private let checks: DirectChecks
    private var gathering: CheckGathering?
    private var peer: InternetAddress?
    private var state = State.passing
    private var held: [Held] = []
    /// Nil once the handler has left the pipeline.
    private var context: ChannelHandlerContext?

    init(_ checks: DirectChecks) { self.checks = checks }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        peer = context.remoteAddress.flatMap { InternetAddress($0) }
        gathering = checks.gathering(on: context.eventLoop)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        for case .close(_, let promise) in held { promise?.fail(ChannelError.alreadyClosed) }
        held = []
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (state, unwrapInboundIn(data)) {
        case (.passing, .head(let head)) where checks.mayBeDirect(head) && context.channel.isWritable:
            state = .reading(head)
        case (.reading(let head), .end(nil)):
            answer(head, context, end: data)
        default:
            passHead(context)
            context.fireChannelRead(data)
        }
    }

    private func answer(_ head: HTTPRequest, _ context: ChannelHandlerContext, end: NIOAny) {
        if let check = checks.admit(head, from: peer) {
            state = .answering
            gathering?.add(check, for: self, to: checks)
        } else {
            passHead(context)
            context.fireChannelRead(end)
        }
    }

    /// Passes on the head of a request that is no direct check.
    private func passHead(_ context: ChannelHandlerContext) {
        guard case .reading(let head) = state else { return }
        state = .passing
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func respond(_ head: HTTPResponse, _ body: ByteBuffer) {
        guard let context else { return }
        // The end of the response makes the handler before pass on the next request.
        state = .passing
        let held = held
        self.held = []
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        for event in held { perform(event, context) }
    }

    // MARK: Events that end the connection

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { perform(.event(event), context) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { perform(.failure(error), context) }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // The end of the input lets the response be sent.
        if mode == .input {
            context.close(mode: mode, promise: promise)
        } else {
            perform(.close(mode, promise), context)
        }
    }

    /// Performs an event, or holds it back until the check has its response.
    private func perform(_ event: Held, _ context: ChannelHandlerContext) {
        if case .answering = state { return held.append(event) }
        passHead(context)
        switch event {
        case .event(let event): context.fireUserInboundEventTriggered(event)
        case .failure(let error): context.fireErrorCaught(error)
        case .close(let mode, let promise): context.close(mode: mode, promise: promise)
        }
    }
}
