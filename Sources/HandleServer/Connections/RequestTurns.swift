import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Lets requests in one at a time: each when the one before it is answered, and none after the last answer.
///
/// A caller may send requests before earlier ones are answered. They wait here, and no more is read meanwhile. Behind an
/// answer that says `Connection: close` nothing may be done (RFC 9112, 9.6): the caller, who can't be told how it ended,
/// will have sent it elsewhere.
final class RequestTurns: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// What came early.
    private var waiting: [HTTPRequestPart] = []
    /// What the others want and must wait for those: to read on, and to be told that the caller has closed their side.
    private var isReadHeld = false
    private var isEndHeld = false
    /// What is wrong with what came after those.
    private var heldError: (any Error)?
    /// Whether a request has been let in and is not answered, and whether it has come whole.
    private var isTaken = false
    private var isWhole = false
    /// Whether its answer is the last one.
    private var isLast = false
    /// What may still come behind it.
    private var unreadAllowance = 64 * 1024

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if isLast && isWhole {
            discard(part, context)
        } else if !waiting.isEmpty || isTaken && part.isHead {
            waiting.append(part)
        } else {
            letIn(part, context)
        }
    }

    private func letIn(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head: (isTaken, isWhole) = (true, false)
        case .body: break
        case .end: isWhole = true
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    private func discard(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head: unreadAllowance -= 1024
        case .body(let bytes): unreadAllowance -= bytes.readableBytes
        case .end: break
        }
        if unreadAllowance < 0 { context.close(promise: nil) }
    }

    func read(context: ChannelHandlerContext) {
        if waiting.isEmpty { context.read() } else { isReadHeld = true }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event, !waiting.isEmpty {
            isEndHeld = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if waiting.isEmpty { context.fireErrorCaught(error) } else { heldError = heldError ?? error }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.headerFields[.connection] == "close":
            isLast = true
            waiting = []
            goOn(context)
        case .end where !isLast:
            isTaken = false
            next(context)
        case .head, .body, .end: break
        }
    }

    /// Lets in the next one of those that wait.
    private func next(_ context: ChannelHandlerContext) {
        guard !waiting.isEmpty else { return }
        let end = waiting.dropFirst().firstIndex(where: \.isHead) ?? waiting.endIndex
        let parts = waiting[..<end]
        waiting.removeSubrange(..<end)
        for part in parts { letIn(part, context) }
        context.fireChannelReadComplete()
        goOn(context)
    }

    /// Does what had to wait, when nothing waits any more.
    private func goOn(_ context: ChannelHandlerContext) {
        guard waiting.isEmpty else { return }
        if isReadHeld {
            isReadHeld = false
            context.read()
        }
        // First the error, as it came: nobody looks for one behind the end, and what the caller broke off would be taken
        // for whole.
        if let error = heldError {
            heldError = nil
            context.fireErrorCaught(error)
        }
        if isEndHeld {
            isEndHeld = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }
}

extension HTTPRequestPart {
    fileprivate var isHead: Bool { if case .head = self { true } else { false } }
}
