import Hummingbird
import NIOCore

/// Reads the whole body before anybody looks at it, so that what is too much is refused in one place.
struct BodyLimit: RouterMiddleware {
    let gate: Gate
    let limits: ServerLimits

    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        switch request.method {
        case .post, .put, .patch, .delete: break
        default:
            // Nobody will look at it; but while parts of it wait to be read, a stream could not end.
            for try await _ in request.body {}
            return try await next(request, context)
        }
        var request = request
        let announced = request.headers[.contentLength].flatMap { Int($0) }
        guard announced ?? 0 <= limits.bodyBytes else { throw Problem.bodyTooLarge(limits) }
        var body = ByteBuffer()
        defer { gate.letGo(bytes: body.readableBytes) }
        for try await part in request.body {
            guard body.readableBytes + part.readableBytes <= limits.bodyBytes else {
                throw Problem.bodyTooLarge(limits)
            }
            guard gate.take(bytes: part.readableBytes, atMost: limits.bodiesBytes) else { throw Problem.overloaded }
            body.writeImmutableBuffer(part)
        }
        // Broken off in the middle: what there is may mean something else than all of it.
        guard announced == nil || announced == body.readableBytes else { throw Problem.malformedRequest }
        guard body.nesting <= limits.jsonDepth else { throw Problem.tooDeep(limits.jsonDepth) }
        request.body = RequestBody(buffer: body)
        return try await next(request, context)
    }
}

extension ByteBuffer {
    /// How many arrays and objects are within each other, read as JSON.
    fileprivate var nesting: Int {
        var (depth, deepest, isText, isEscaped) = (0, 0, false, false)
        for byte in readableBytesView {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isText: isEscaped = true
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if !isText {
                    depth += 1
                    deepest = max(deepest, depth)
                }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): if !isText { depth -= 1 }
            default: break
            }
        }
        return deepest
    }
}

extension Problem {
    fileprivate static func bodyTooLarge(_ limits: ServerLimits) -> Problem {
        Problem(.bodyTooLarge, "The body is too large; the limit is \(limits.bodyBytes) bytes.")
    }
}
