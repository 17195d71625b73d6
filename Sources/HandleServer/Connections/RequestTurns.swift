import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Serialises pipelined requests: each is passed on when the one before it is answered, and none after the last response.
///
/// A client may send requests before earlier ones are answered. They wait here, and no more is read meanwhile. After a
/// response with `Connection: close` no request may be processed (RFC 9112, 9.6): the client gets no response to it, and
/// sends it elsewhere.
final class RequestTurns: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Pipelined requests.
    private var waiting: [HTTPRequestPart] = []
    /// Events that wait for these: a read, and the client's close of its side.
    private var isReadHeld = false
    private var isEndHeld = false
    /// The error of the input after these.
    private var heldError: (any Error)?
    /// True if a request was passed on and is not answered; true if it is complete.
    private var isTaken = false
    private var isWhole = false
    /// True if its response is the last one.
    private var isLast = false
    /// Bytes that may still follow it.
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

    /// Passes the next waiting request on.
    private func next(_ context: ChannelHandlerContext) {
        guard !waiting.isEmpty else { return }
        let end = waiting.dropFirst().firstIndex(where: \.isHead) ?? waiting.endIndex
        let parts = waiting[..<end]
        waiting.removeSubrange(..<end)
        for part in parts { letIn(part, context) }
        context.fireChannelReadComplete()
        goOn(context)
    }

    /// Passes the waiting events on, once no request waits.
    private func goOn(_ context: ChannelHandlerContext) {
        guard waiting.isEmpty else { return }
        if isReadHeld {
            isReadHeld = false
            context.read()
        }
        // The error comes before the end, as it arrived. After the end it would be overlooked, and a truncated request
        // would count as complete.
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
