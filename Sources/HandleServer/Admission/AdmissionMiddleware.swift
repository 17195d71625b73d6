import AccessKeys
import HandleCore
import Hummingbird
import Identity

/// Admission control: refuses requests before any work is done, when the concurrency limit or a quota is exhausted.
struct AdmissionMiddleware: RouterMiddleware {
    let load: ServerLoad
    let limits: ServerLimits
    let quotas: Quotas
    let addresses: CallerAddress

    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        guard !context.isHealthCheck else { return try await next(request, context) }
        guard load.requests < limits.inFlight else { throw Problem.overloaded }
        guard request.uri.string.utf8.count <= limits.addressBytes else { throw Problem.addressTooLong(limits) }
        context.subscriber = addresses.of(request, from: context.peer)?.subscriber
        let quota = await quota(of: request, &context)
        guard let fields = try charge(quota) else { return try await next(request, context) }
        context.quota = quota
        var response: Response
        do {
            response = try await next(request, context)
        } catch var problem as Problem {
            problem.headers.add(missing: fields)
            throw problem
        }
        response.headers.add(missing: fields)
        return response
    }

    /// Charges a call to the quota of its caller, and to the global one.
    /// - Returns: the `RateLimit` header fields; nil without a quota.
    func charge(_ quota: Quota?) throws(Problem) -> HTTPFields? {
        // The caller's own quota first, so that a caller over its quota takes nothing from the global one.
        let fields = try quota?.take()
        if let rate = limits.global, !quotas.takeGlobal(rate) { throw .overloaded }
        return fields
    }

    /// The quota of the caller: by key, by person, or the anonymous one. A caller with an invalid credential uses the
    /// anonymous quota, also at `/metrics`. Paths other than `/v1/…` and `/metrics`, such as `/openapi.json`, have no
    /// quota.
    private func quota(of request: Request, _ context: inout ServiceContext) async -> Quota? {
        let call = context.call(of: request)
        guard call.hasPrefix("/v1/") || call == MetricsPath.text else { return nil }
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
        Problem(
            .addressTooLong, "The URL is too long; the limit is \(limits.addressBytes) bytes.")
    }
}
