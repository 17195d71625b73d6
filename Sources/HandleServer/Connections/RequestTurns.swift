import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Passes requests on one at a time: each once the one before it has its response, and none after the last response.
///
/// Pipelined requests wait here, and no more is read meanwhile. After a response with `Connection: close`, no further
/// request may be processed (RFC 9112, 9.6): its client can't get a response, and will have sent the request again on
/// another connection.
final class RequestTurns: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Parts of pipelined requests.
    private var waiting: [HTTPRequestPart] = []
    /// Held back while parts wait: a read that a later handler asked for, and the event that the client has closed its
    /// side.
    private var isReadHeld = false
    private var isEndHeld = false
    /// The first error that came after the waiting parts.
    private var heldError: (any Error)?
    /// `isTaken`: true if a request was passed on and its response is not complete. `isWhole`: true if that request is
    /// complete.
    private var isTaken = false
    private var isWhole = false
    /// True if the response to that request is the last one of the connection.
    private var isLast = false
    /// Bytes that may still arrive after the last request; each request head counts as 1,024.
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

    /// Passes on the next pipelined request.
    private func next(_ context: ChannelHandlerContext) {
        guard !waiting.isEmpty else { return }
        let end = waiting.dropFirst().firstIndex(where: \.isHead) ?? waiting.endIndex
        let parts = waiting[..<end]
        waiting.removeSubrange(..<end)
        for part in parts { letIn(part, context) }
        context.fireChannelReadComplete()
        goOn(context)
    }

    /// Passes on the read, the error and the event that were held back, once no parts wait.
    private func goOn(_ context: ChannelHandlerContext) {
        guard waiting.isEmpty else { return }
        if isReadHeld {
            isReadHeld = false
            context.read()
        }
        // The error first, in the order of arrival. After the end of the input no handler looks for an error, and a
        // truncated request would be taken as complete.
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
