import HandleRegistry
import HandleRules
import Hummingbird
import NIOCore
import NIOHTTP1

/// Admission control: parses the credential, and refuses requests before any work is done, when a limit or a quota is
/// exhausted. Every error of a call becomes a problem document.
struct Admission: RouterMiddleware {
    typealias Next = (Request, ServiceContext) async throws -> Response

    let authenticator: Authenticator
    let load: ServerLoad
    let limits: ServerLimits
    let quotas: Quotas
    let addresses: CallerAddress

    func handle(_ request: Request, context: ServiceContext, next: Next) async throws -> Response {
        do {
            return try await charged(request, context, next)
        } catch let error as HTTPParserError {
            // The rest of the body is not valid HTTP, so the connection can't be kept. The server itself sends the
            // response.
            throw error
        } catch {
            return Response(Problem.of(error, context.ids, context.logger).plain)
        }
    }

    private func charged(_ request: Request, _ context: ServiceContext, _ next: Next) async throws -> Response {
        var context = context
        context.credential = authenticator.credential(of: request)
        guard !context.isHealthCheck else { return try await complete(request, context, next) }
        guard load.requests < limits.inFlight else { throw Problem.overloaded }
        guard request.uri.string.utf8.count <= limits.addressBytes else { throw Problem.addressTooLong(limits) }
        context.subscriber = addresses.of(request, from: context.peer)?.subscriber
        context.quota = await quota(of: request, &context)
        let fields = try charge(context.quota)
        var response: Response
        do {
            response = try await complete(request, context, next)
        } catch var problem as Problem {
            problem.headers.add(missing: fields)
            throw problem
        }
        response.headers.add(missing: fields)
        return response
    }

    /// Reads the whole body, so that all size limits are enforced in one place. A request counts as in progress from
    /// then until its response, so slow senders don't use up the limit.
    private func complete(_ request: Request, _ context: ServiceContext, _ next: Next) async throws -> Response {
        var (request, context) = (request, context)
        var body = ByteBuffer()
        defer { load.release(bytes: body.readableBytes) }
        switch request.method {
        case .post, .put, .patch, .delete:
            try await read(request, into: &body)
            request.body = RequestBody(buffer: body)
        default:
            // The body is ignored, but it must be read: a stream could not end while parts of the body are unread.
            for try await _ in request.body {}
        }
        context.jsonDepth = limits.jsonDepth
        guard !context.isHealthCheck, !context.waitsFirst(request) else { return try await next(request, context) }
        guard load.beginRequest(atMost: limits.inFlight) else { throw Problem.overloaded }
        defer { load.endRequest() }
        return try await next(request, context)
    }

    private func read(_ request: Request, into body: inout ByteBuffer) async throws {
        let announced = request.headers[.contentLength].flatMap { Int($0) }
        guard announced ?? 0 <= limits.bodyBytes else { throw Problem.bodyTooLarge(limits) }
        for try await part in request.body {
            guard body.readableBytes + part.readableBytes <= limits.bodyBytes else {
                throw Problem.bodyTooLarge(limits)
            }
            guard load.hold(bytes: part.readableBytes, atMost: limits.bodiesBytes) else { throw Problem.overloaded }
            body.writeImmutableBuffer(part)
        }
        // A truncated body is refused, as it may mean something else than the whole one.
        guard announced == nil || announced == body.readableBytes else { throw Problem.malformedRequest }
    }

    /// Charges a call to the quota of its caller, and to the global one.
    /// - Returns: the `RateLimit` header fields; none without a quota.
    func charge(_ quota: Quota?) throws(Problem) -> HTTPFields {
        // The caller's own quota first, so that a caller over its quota takes nothing from the global one.
        let fields = try quota?.take() ?? [:]
        if let rate = limits.global, !quotas.takeGlobal(rate) { throw .overloaded }
        return fields
    }

    /// The quota of the caller: by key, by person, or the anonymous one. A caller with an invalid credential uses the
    /// anonymous quota, also at `/metrics`. Paths other than `/v1/…` and `/metrics`, such as `/openapi.json`, have no
    /// quota.
    private func quota(of request: Request, _ context: inout ServiceContext) async -> Quota? {
        let call = context.call(of: request)
        guard call.hasPrefix("/v1/") || call == CallPath.metrics else { return nil }
        if context.credential.keyHolder == nil, let owner = await person(&context)?.owner {
            return limits.person.map { Quota(caller: .person(owner.id), rate: $0, quotas: quotas) }
        }
        return self.quota(of: context.credential, at: context.subscriber)
    }

    /// The quota of a caller that is no person.
    func quota(of credential: Credential, at subscriber: InternetAddress?) -> Quota? {
        if let holder = credential.keyHolder {
            return holder.rate.map { Quota(caller: .key(holder.id), rate: $0, quotas: quotas) }
        }
        return limits.anonymous.map { Quota(caller: .anonymous(subscriber), rate: $0, quotas: quotas) }
    }

    /// The person of a valid token. Each address has a quota for verifying invalid tokens, so that they can't keep the
    /// processor busy. Callers without a token at the same address don't use up this quota.
    private func person(_ context: inout ServiceContext) async -> Person? {
        guard let rate = limits.anonymous else { return await context.credential.quotaPerson { true } }
        let address = context.subscriber ?? .unknown
        var isVerified = false
        let person = await context.credential.quotaPerson {
            isVerified = quotas.badTokens.take(of: rate, for: address).state.isAllowed
            return isVerified
        }
        if isVerified, person != nil { quotas.badTokens.giveBack(of: rate, for: address) }
        return person
    }
}

extension HTTPFields {
    fileprivate mutating func add(missing fields: HTTPFields) {
        for field in fields where self[field.name] == nil { append(field) }
    }
}

extension Problem {
    fileprivate static func addressTooLong(_ limits: ServerLimits) -> Problem {
        Problem(.addressTooLong, "The URL is too long; the limit is \(limits.addressBytes) bytes.")
    }

    fileprivate static func bodyTooLarge(_ limits: ServerLimits) -> Problem {
        Problem(.bodyTooLarge, "The body is too large; the limit is \(limits.bodyBytes) bytes.")
    }
}
