import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Gives the answers to what is not even HTTP a problem document, as all other refusals have.
///
/// Such a request never reaches the router; the server answers it with a bare status. An answer of ours always has a
/// content type, by which the two are told apart.
final class ProtocolProblemHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.kind == .clientError,
            head.headerFields[.contentType] == nil
        else { return context.write(data, promise: promise) }
        let problem = Problem(
            head.status, "malformed_request",
            "The request is not HTTP as it should be: the address may have only printable ASCII, all else "
                + "percent-encoded, and each line ends with CRLF.")
        let body = problem.json
        head.headerFields[.contentType] = Problem.contentType
        head.headerFields[.contentLength] = String(body.count)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: promise)
    }
}
