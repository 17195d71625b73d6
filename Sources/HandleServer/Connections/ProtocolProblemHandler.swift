import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Adds a problem document to the responses to malformed requests, as all other error responses have.
///
/// A malformed request never reaches the router: the HTTP server responds with a bare status. The router's responses
/// always have a content type, so a 4xx response without one is a bare status.
final class ProtocolProblemHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ServerLimits
    /// The problem of an unreadable request. The input stays unreadable, so the problem is never reset.
    private var problem = Problem.malformedRequest

    init(_ limits: ServerLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) {
        let operations = context.pipeline.syncOperations
        guard let codec = try? operations.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
        try? operations.addHandler(MessageRules(), position: .before(codec))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if (error as? HTTPParserError) == .headerOverflow { problem = .headerTooLarge(limits) }
        // Pass every other error on as a parser error: for other errors the server closes without a response.
        context.fireErrorCaught(error is HTTPParserError ? error : HTTPParserError.unknown)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.kind == .clientError,
            head.headerFields[.contentType] == nil
        else { return context.write(data, promise: promise) }
        let plain = problem.plain
        head.status = plain.status
        for field in plain.headers { head.headerFields[field.name] = field.value }
        head.headerFields[.contentLength] = String(plain.body.count)
        head.headerFields[.requestID] = RequestIDs.newID()
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: plain.body))), promise: promise)
    }
}

/// Rejects requests that the parser accepts, but that a proxy and this server could read differently: RFC 9112,
/// sections 3.2 and 6.1.
private final class MessageRules: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data), !isClear(head) else { return context.fireChannelRead(data) }
        context.fireErrorCaught(HTTPParserError.unknown)
    }

    private func isClear(_ head: HTTPRequestHead) -> Bool {
        let isLatest = head.version == .http1_1
        let hosts = head.headers["host"].count
        let codings = head.headers["transfer-encoding"].count
        guard head.version.major == 1, hosts == 1 || !isLatest && hosts == 0 else { return false }
        guard codings > 0 else { return true }
        return isLatest && codings == 1 && head.headers["transfer-encoding"][0].lowercased() == "chunked"
            && !head.headers.contains(name: "content-length")
    }
}

extension Problem {
    static let malformedRequest = Problem(
        .malformedRequest,
        "The request is not valid HTTP/1.1. Use only printable ASCII in the URL and percent-encode everything else; send "
            + "one Host header and one body length, and end each line with CRLF.")

    static func headerTooLarge(_ limits: ServerLimits) -> Problem {
        Problem(
            .headersTooLarge,
            "The headers are too large; the limits are \(limits.headerFields) fields and \(limits.headerBytes) bytes.")
    }
}
