import HTTPTypes
import HandleRegistry
import HandleRules
import Hummingbird

/// A request that changes the registry: its caller, body and preconditions.
struct Write {
    let caller: Caller
    /// The cause of the change, for the history.
    let cause: Cause
    private let body: ByteBuffer
    private let context: ServiceContext
    /// The value of `If-Match`; nil without one.
    private let ifMatch: String?
    /// Identifies repetitions of the request, if it has an `Idempotency-Key`.
    private let once: IdempotentRequest?

    /// - Parameter parameters: query parameters of the call.
    /// - Throws: ``Problem`` 400 for an invalid `Idempotency-Key`, for other parameters, and for a deletion with
    ///   members in its body.
    init(
        _ request: Request, _ context: ServiceContext, of caller: Caller, parameters: [String] = []
    ) async throws {
        try Query(request).refuseOthers(than: parameters)
        (self.caller, self.context) = (caller, context)
        cause = Cause(by: caller.actor)
        let key = try Self.idempotencyKey(of: request)
        body = try await request.body.collect(upTo: .max)
        // A DELETE has all its parameters in the URL. Its body may be an empty object.
        let isBlank = body.readableBytesView.allSatisfy { " \n\r\t".utf8.contains($0) }
        if request.method == .delete, !isBlank { _ = try JSONBody(body, [], in: context) }
        let matches = request.headers[values: .ifMatch]
        ifMatch = matches.isEmpty ? nil : matches.joined(separator: ",")
        once = key.map { [body, ifMatch] key in
            // The query is part of the request's identity. An empty query equals none.
            let query = request.uri.query.map { $0.isEmpty ? "" : "?" + $0 } ?? ""
            let line = "\(request.method.rawValue) \(request.uri.path)\(query)\n" + (ifMatch.map { $0 + "\n" } ?? "")
            return IdempotentRequest(
                key: key, caller: caller.id, content: Array(line.utf8) + Array(body.readableBytesView))
        }
    }

    /// The body, with these members and no others.
    func json(_ members: String...) throws(Problem) -> JSONBody { try JSONBody(body, members, in: context) }

    /// The cause with a reason, which is stored with the event.
    func cause(_ reason: String?) -> Cause { Cause(by: cause.actor, reason: reason) }

    /// The owner that the change is for: the owner in the body, or a token's own.
    func owner(_ named: String?) throws(Problem) -> Owner { try caller.owner(named, needs: .claim) }

    /// The precondition of the change: a version that `If-Match` lists, and this owner. Tags in another format match no
    /// version; `*` matches any.
    func precondition(_ owner: Owner? = nil) -> Precondition {
        guard let tags = ifMatch?.filter({ !$0.isWhitespace }) else { return Precondition(owner: owner) }
        if tags == "*" { return Precondition(owner: owner, isInUse: true) }
        let versions = tags.split(separator: ",").compactMap { tag -> Int64? in
            guard tag.utf8.count > 2, tag.first == "\"", tag.last == "\"" else { return nil }
            return Int64(tag.dropFirst().dropLast())
        }
        return Precondition(versions: Set(versions), owner: owner)
    }

    /// Performs the change, once for each `Idempotency-Key`. A refusal is stored as the response, too.
    /// - Parameters:
    ///   - status: the status if the change was made; it is 200 if there was nothing to change.
    ///   - answer: makes the response from the record and the status.
    func perform(
        _ change: some Change<ChangeOutcome>, _ registry: Registry, whenDone status: HTTPResponse.Status = .ok,
        answer: @escaping @Sendable (Record, HTTPResponse.Status) -> Response.Plain
    ) async throws -> Response {
        try await perform(change, registry, whenDone: status, result: { $0 }, answer: answer)
    }

    /// The same for a change with another outcome.
    /// - Parameter result: the part of the outcome that decides about the response.
    func perform<C: Change>(
        _ change: C, _ registry: Registry, whenDone status: HTTPResponse.Status,
        result: @escaping @Sendable (C.Outcome) -> ChangeOutcome,
        answer: @escaping @Sendable (Record, HTTPResponse.Status) -> Response.Plain
    ) async throws -> Response {
        @Sendable func response(to outcome: C.Outcome) throws(Problem) -> Response.Plain {
            switch result(outcome) {
            case .done(let record): return answer(record, status)
            case .already(let record): return answer(record, .ok)
            case .refused(let refusal): throw Problem(refusal, for: caller)
            }
        }
        guard let once else { return Response(try await response(to: registry.perform(change))) }
        return try await Self.response(
            to: registry.perform(change, once: once) { outcome in
                do throws(Problem) {
                    return Answer(try response(to: outcome))
                } catch {
                    return Answer(error.plain)
                }
            })
    }

    /// Performs work that takes several transactions and is safe to repeat, once for each `Idempotency-Key`.
    func perform(_ registry: Registry, _ work: () async throws -> Response.Plain) async throws -> Response {
        guard let once else { return Response(try await work()) }
        return try await Self.response(to: registry.perform(once: once) { Answer(try await work()) })
    }

    private static func response(to reply: Reply) throws(Problem) -> Response {
        switch reply {
        case .answer(let answer): return Response(Response.Plain(answer))
        case .inFlight: throw Problem.inFlight
        case .otherContent: throw Problem.keyReused
        }
    }

    private static func idempotencyKey(of request: Request) throws(Problem) -> String? {
        let keys = request.headers[values: HTTPField.Name.idempotencyKey]
        guard let key = keys.first else { return nil }
        guard keys.count == 1, (1...RequestLimits.idempotencyKeyBytes).contains(key.utf8.count),
            key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw Problem(
                .invalidIdempotencyKey,
                "'Idempotency-Key' must be 1 to \(RequestLimits.idempotencyKeyBytes) printable ASCII characters without "
                    + "spaces; send it once, with a random value such as a UUID.")
        }
        return key
    }
}

extension Problem {
    fileprivate static let inFlight = Problem(
        .inFlight, "The first request with this Idempotency-Key is still in progress; send it again later.",
        headers: [.retryAfter: "1"])

    fileprivate static let keyReused = Problem(
        .idempotencyKeyReused,
        "This Idempotency-Key was used for another request; use a new one for each request.")
}

extension Answer {
    init(_ plain: Response.Plain) {
        self.init(
            status: plain.status.code, headers: plain.headers.flatMap { [$0.name.rawName, $0.value] }, body: plain.body)
    }
}

extension Response.Plain {
    init(_ answer: Answer) {
        var headers = HTTPFields()
        for index in stride(from: 0, to: answer.headers.count - 1, by: 2) {
            guard let name = HTTPField.Name(answer.headers[index]) else { continue }
            headers[name] = answer.headers[index + 1]
        }
        self.init(status: HTTPResponse.Status(code: answer.status), headers: headers, body: answer.body)
    }
}
