import HandleCore
import HandleRegistry
import Hummingbird
import Identity

/// Decides who gets in, before any work is done: those for whom there is room, and who have not had their share.
struct AdmissionMiddleware: RouterMiddleware {
    let gate: Gate
    let limits: ServerLimits
    let quotas: Quotas
    let addresses: CallerAddress

    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        guard !context.isAskedBySupervisors else { return try await next(request, context) }
        guard gate.requests < limits.inFlight else { throw Problem.overloaded }
        guard request.uri.string.utf8.count <= limits.addressBytes else { throw Problem.addressTooLong(limits) }
        context.subscriber = addresses.of(request, from: context.peer)?.subscriber
        // The caller's own first: who has had their share costs nobody else.
        let quota = await quota(of: request, &context)
        let fields = try quota?.take()
        if let rate = limits.global, !quotas.takeOfEverybody(rate) { throw Problem.overloaded }
        guard let fields else { return try await next(request, context) }
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

    /// What the caller may ask: a key's own limit, a person's, or that of callers without either. A wrong key, or a token
    /// that is not good, is none, at the metrics too. The contract may be read without limit.
    private func quota(of request: Request, _ context: inout ServiceContext) async -> Quota? {
        let call = context.call(of: request)
        guard call.hasPrefix("/v1/") || call == MetricsPath.text else { return nil }
        if let holder = context.credential.keyHolder {
            return holder.rate.map { Quota(caller: .key(holder.id), rate: $0, quotas: quotas) }
        }
        if let owner = await person(&context)?.owner {
            return limits.person.map { Quota(caller: .person(owner.id), rate: $0, quotas: quotas) }
        }
        guard let rate = limits.anonymous else { return nil }
        return Quota(caller: .stranger(context.subscriber), rate: rate, quotas: quotas)
    }

    /// The person of a valid token. Each address has a quota of invalid tokens that are verified: they can't keep the
    /// processor busy, and callers without a token at the same address don't use this quota up.
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
