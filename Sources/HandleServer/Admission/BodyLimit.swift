import Hummingbird
import NIOCore

/// Reads the whole body before the handler runs, so that all size limits are enforced in one place.
struct BodyLimit: RouterMiddleware {
    let load: ServerLoad
    let limits: ServerLimits

    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        switch request.method {
        case .post, .put, .patch, .delete: break
        default:
            // The body is ignored, but it must be read: a stream could not end while parts of the body are unread.
            for try await _ in request.body {}
            return try await next(request, context)
        }
        var request = request
        let announced = request.headers[.contentLength].flatMap { Int($0) }
        guard announced ?? 0 <= limits.bodyBytes else { throw Problem.bodyTooLarge(limits) }
        var body = ByteBuffer()
        defer { load.release(bytes: body.readableBytes) }
        for try await part in request.body {
            guard body.readableBytes + part.readableBytes <= limits.bodyBytes else {
                throw Problem.bodyTooLarge(limits)
            }
            guard load.hold(bytes: part.readableBytes, atMost: limits.bodiesBytes) else { throw Problem.overloaded }
            body.writeImmutableBuffer(part)
        }
        // A truncated body is refused, as it may mean something else than the whole one.
        guard announced == nil || announced == body.readableBytes else { throw Problem.malformedRequest }
        request.body = RequestBody(buffer: body)
        var context = context
        context.jsonDepth = limits.jsonDepth
        return try await next(request, context)
    }
}

extension Problem {
    fileprivate static func bodyTooLarge(_ limits: ServerLimits) -> Problem {
        Problem(.bodyTooLarge, "The body is too large; the limit is \(limits.bodyBytes) bytes.")
    }
}
