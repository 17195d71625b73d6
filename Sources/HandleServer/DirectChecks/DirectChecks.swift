import HTTPTypes
import HandleRegistry
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import NIOCore

/// Checks of availability that are answered on the connection, without the server framework's tasks.
///
/// Most calls of the service are such checks: a typed name, with a key or without a credential. A task for each, and the
/// tasks' switches between threads, take longer than the check. So the checks that arrive on an event loop at the same
/// time are answered together. Every other call takes the way through the router, and so does a check with something
/// unusual: an identity token, an owner, a wrong key or parameter, a body, a client that does not read. Both ways use the
/// same code for limits, metrics and log lines.
final class DirectChecks: Sendable {
    let metrics: RequestMetrics
    private let registry: Registry
    private let admission: Admission
    /// Nil if no page may read availability.
    private let origins: PageOriginMiddleware?
    private let logger: Logger
    private let date = DateField()
    private let gatherings = NIOLockedValueBox<[ObjectIdentifier: NIOLoopBound<CheckGathering>]>([:])
    /// The tasks that answer checks.
    let tasks = CheckTasks()

    /// A response with the position of its check.
    struct Answer: Sendable {
        let position: Int
        let head: HTTPResponse
        let body: ByteBuffer
    }

    init(
        registry: Registry, admission: Admission, origins: PageOriginMiddleware?, metrics: RequestMetrics,
        logger: Logger
    ) {
        (self.registry, self.admission, self.origins) = (registry, admission, origins)
        (self.metrics, self.logger) = (metrics, logger)
    }

    /// The checks that are gathered on an event loop. To be called on the loop.
    func gathering(on loop: any EventLoop) -> CheckGathering {
        gatherings.withLockedValue { gatherings in
            if let gathering = gatherings[ObjectIdentifier(loop)] { return gathering.value }
            let gathering = CheckGathering(on: loop)
            gatherings[ObjectIdentifier(loop)] = NIOLoopBound(gathering, eventLoop: loop)
            return gathering
        }
    }

    // MARK: Admission

    /// Whether a request may be a direct check, by its head alone.
    func mayBeDirect(_ head: HTTPRequest) -> Bool {
        head.method == .get && head.path?.utf8.starts(with: Self.start) ?? false
            && Self.unusual.allSatisfy { head.headerFields[$0] == nil }
    }

    private static let start = Array("\(CallPath.availability)?".utf8)
    private static let unusual: [HTTPField.Name] = [.contentLength, .transferEncoding, .upgrade]

    /// Applies the limits to a request, as ``Admission`` does on the way through the router.
    /// - Returns: nil if the router is to answer. The request is not charged then.
    func admit(_ head: HTTPRequest, from peer: InternetAddress?) -> DirectCheck? {
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let credential = admission.authenticator.credential(of: request)
        guard request.uri.string.utf8.count <= admission.limits.addressBytes, let caller = credential.knownCaller,
            let question = try? AvailabilityQuestion(Query(request), of: caller), question.owner == nil
        else { return nil }
        var check = DirectCheck(question: question, observation: RequestObservation(request))
        origins?.allow(request, &check.fields)
        do throws(Problem) {
            guard admission.load.requests < admission.limits.inFlight else { throw .overloaded }
            let subscriber = admission.addresses.of(request, from: peer)?.subscriber
            check.fields = try check.fields + admission.charge(admission.quota(of: credential, at: subscriber))
            guard admission.load.beginRequest(atMost: admission.limits.inFlight) else { throw .overloaded }
        } catch {
            check.refusal = error
        }
        return check
    }

    // MARK: Responses

    /// Answers checks.
    /// - Parameter respond: called with responses that are complete at the same time.
    func answer(_ checks: [DirectCheck], respond: @escaping @Sendable ([Answer]) -> Void) async {
        let refused = checks.indices.compactMap { position in
            checks[position].refusal.map { answer(checks[position], at: position, $0.plain) }
        }
        if !refused.isEmpty { respond(refused) }
        let admitted = checks.indices.filter { checks[$0].refusal == nil }
        await registry.availability(of: admitted.map { checks[$0].question.asked() }) { [self] answers in
            respond(
                answers.map { found in
                    let position = admitted[found.position]
                    defer { admission.load.endRequest() }
                    return answer(checks[position], at: position, plain(found.result, checks[position]))
                })
        }
    }

    private func plain(_ result: Result<Availability, any Error>, _ check: DirectCheck) -> Response.Plain {
        do {
            return check.question.response(to: try result.get())
        } catch {
            return Problem.of(error, check.observation.ids, logger).plain
        }
    }

    private func answer(_ check: DirectCheck, at position: Int, _ plain: Response.Plain) -> Answer {
        var headers = plain.headers + check.fields
        check.observation.end(.get, CallPath.availability, plain.status, &headers, in: metrics, logger)
        headers.append(HTTPField(name: .contentLength, value: String(plain.body.count)))
        headers.append(HTTPField(name: .date, value: date.text()))
        return Answer(
            position: position, head: HTTPResponse(status: plain.status, headerFields: headers),
            body: ByteBuffer(bytes: plain.body))
    }
}

/// A direct check that has passed the limits, or is refused by one.
struct DirectCheck: Sendable {
    let question: AvailabilityQuestion
    let observation: RequestObservation
    /// More fields of the response.
    var fields: HTTPFields = [:]
    var refusal: Problem?
}
