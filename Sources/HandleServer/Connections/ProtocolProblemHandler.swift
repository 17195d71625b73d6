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
    /// The problem of the first unreadable request; the input stays unreadable.
    private var problem: Problem?

    init(_ limits: ServerLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) {
        let operations = context.pipeline.syncOperations
        guard let codec = try? operations.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
        try? operations.addHandler(MessageRules(), position: .before(codec))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isOverflow = (error as? HTTPParserError) == .headerOverflow
        problem = problem ?? (isOverflow ? .headerTooLarge(limits) : .malformedRequest)
        // Pass every other error on as a parser error: for other errors the server closes without a response.
        context.fireErrorCaught(error is HTTPParserError ? error : HTTPParserError.unknown)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.kind == .clientError,
            head.headerFields[.contentType] == nil
        else { return context.write(data, promise: promise) }
        let plain = (problem ?? .malformedRequest).plain
        head.status = plain.status
        for field in plain.headers { head.headerFields[field.name] = field.value }
        head.headerFields[.contentLength] = String(plain.body.count)
        head.headerFields[.requestID] = RequestIDs.newID()
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: plain.body))), promise: promise)
    }
}

/// Rejects requests that the parser accepts, but that a proxy and this server could read differently: RFC 9112,
/// sections 3.2 and 6.1. Requests of HTTP/1.0 close their connection, and get responses that HTTP/1.0 knows.
private final class MessageRules: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Of the last request. A client that pipelines requests of both versions gets HTTP/1.0 for all.
    private var version = HTTPVersion.http1_1

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard isClear(head) else { return context.fireErrorCaught(HTTPParserError.unknown) }
        version = head.version
        guard version == .http1_0 else { return context.fireChannelRead(data) }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        head.headers.remove(name: "expect")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// The encoder sends no chunks in a response of HTTP/1.0: its body ends with the connection.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard version == .http1_0, case .head(var head) = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        head.version = .http1_0
        context.write(wrapOutboundOut(.head(head)), promise: promise)
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
