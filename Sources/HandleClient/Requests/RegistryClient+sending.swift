import Foundation
import HTTPLoading

/// A complete response with a status of success.
struct ClientAnswer: Sendable {
    let status: Int
    let body: Data

    func decode<Wire: Decodable>(_ type: Wire.Type = Wire.self) throws(HandleClientError) -> Wire {
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            throw .unreadable(status: status)
        }
    }

    /// Decodes the body and converts it with `make`.
    func read<Wire: Decodable, Value>(
        _ make: (Wire) throws(Unreadable) -> Value
    ) throws(HandleClientError) -> Value {
        let wire = try decode(Wire.self)
        do throws(Unreadable) {
            return try make(wire)
        } catch {
            throw .unreadable(status: status)
        }
    }
}

/// Sends calls and retries them.
extension RegistryClient {
    /// Sends a call and retries transient failures within ``Limits/budget``.
    func send(_ call: Call) async throws(HandleClientError) -> ClientAnswer {
        let end = timing.elapsed() + limits.budget
        var pause = limits.pause
        var attempts = 1
        while true {
            let failure: HandleClientError
            do throws(HandleClientError) {
                return try await sendOnce(call, until: end)
            } catch {
                failure = error
            }
            let rest = max(failure.retryAfter ?? .zero, pause)
            guard failure.isWorthRepeating, attempts < limits.attempts, timing.elapsed() + rest < end else {
                throw failure
            }
            do { try await timing.sleep(rest) } catch { throw .cancelled }
            pause *= 2
            attempts += 1
        }
    }

    /// Sends a call, and once more with a new token if the service rejected the first one.
    private func sendOnce(_ call: Call, until end: Duration) async throws(HandleClientError) -> ClientAnswer {
        try await withToken { token throws(HandleClientError) in
            let limit = min(limits.answer, end - timing.elapsed())
            return try await inTime(limit) { () throws(HandleClientError) in
                let answer = try await open(call, token)
                return try await wholeBody(of: answer)
            }
        }
    }

    /// Does `work` with a token, and once more with a new one if the service rejected the first.
    func withToken<Value: Sendable>(
        _ work: (_ token: String?) async throws(HandleClientError) -> Value
    ) async throws(HandleClientError) -> Value {
        let token = try await token(rejected: nil)
        do throws(HandleClientError) {
            return try await work(token)
        } catch {
            guard case .person = credential, let token, error.problem?.isAboutToken == true else { throw error }
            let new = try await self.token(rejected: token)
            // A closure that can't renew tokens may return the same one.
            guard new != token else { throw error }
            do throws(HandleClientError) {
                return try await work(new)
            } catch {
                if let problem = error.problem, problem.isAboutToken { throw .newTokenRejected(problem) }
                throw error
            }
        }
    }

    private func token(rejected: String?) async throws(HandleClientError) -> String? {
        switch credential {
        case .none: return nil
        case .key(let key): return key
        case .person(let token):
            // The caller is not delayed by a closure that ignores cancellation.
            let result = await firstResult { () -> Result<String, HandleClientError> in
                do {
                    return .success(try await token(rejected))
                } catch {
                    return .failure(.noToken(error))
                }
            }
            return try (result ?? .failure(.cancelled)).get()
        }
    }

    /// Sends a request and returns a successful response when its body begins.
    /// - Throws: `.problem` and the like for any other response.
    func open(_ call: Call, _ token: String?) async throws(HandleClientError) -> TransportAnswer {
        let request = try call.request(base: base, token: token)
        let answer = try await transport.send(request)
        switch answer.status {
        case let status where call.success.contains(status): return answer
        case 200..<300: throw .unreadable(status: answer.status)
        case 300..<400: throw .redirected(status: answer.status)
        default: throw await problem(in: answer)
        }
    }

    private func problem(in answer: TransportAnswer) async -> HandleClientError {
        do throws(HandleClientError) {
            let body = try await wholeBody(of: answer).body
            return HandleProblem(status: answer.status, fields: answer.fields, body: body).map { .problem($0) }
                ?? .unreadable(status: answer.status, retryAfter: Duration(retryAfterIn: answer.fields))
        } catch {
            return error
        }
    }

    /// Reads a whole body, up to the maximum size.
    private func wholeBody(of answer: TransportAnswer) async throws(HandleClientError) -> ClientAnswer {
        var body = Data()
        do {
            for try await part in answer.body {
                body += part
                guard body.count <= limits.answerBytes else {
                    throw HandleClientError.unreadable(status: answer.status)
                }
            }
        } catch let error as HandleClientError {
            throw error
        } catch {
            throw Task.isCancelled ? .cancelled : .answerLost
        }
        // In a cancelled task the loop ends without an error.
        if Task.isCancelled { throw .cancelled }
        return ClientAnswer(status: answer.status, body: body)
    }

    /// Does a part of a request with a timeout.
    func inTime<Value: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws(HandleClientError) -> Value
    ) async throws(HandleClientError) -> Value {
        let result = await firstResult { () -> Result<Value, HandleClientError> in
            do throws(HandleClientError) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        } orOf: { [timing] in
            try? await timing.sleep(limit)
            return .failure(.answerLost)
        }
        return try (result ?? .failure(.cancelled)).get()
    }
}

extension HandleClientError {
    /// Whether an immediate retry may help. A wrong address or a foreign page stays the same.
    fileprivate var isWorthRepeating: Bool {
        switch code {
        case .unreachable, .answerLost: true
        case .unreadable: status.map(HandleProblem.transientStatuses.contains) ?? false
        case .problem: problem?.isTransient ?? false
        default: false
        }
    }
}

extension HandleProblem {
    private struct Wire: Decodable {
        let title: String
        let detail: String
        let code: String
        let reasons: [HandleReason]?
        let scope: String?
        let until: String?
    }

    /// Returns nil when the body is not a problem of the service.
    init?(status: Int, fields: [String: String], body: Data) {
        guard let wire = try? JSONDecoder().decode(Wire.self, from: body) else { return nil }
        self.status = status
        code = ProblemCode(rawValue: wire.code)
        title = wire.title
        detail = wire.detail
        reasons = wire.reasons ?? []
        scope = wire.scope
        until = wire.until.flatMap(Moment.read)
        retryAfter = Duration(retryAfterIn: fields)
        requestID = fields["x-request-id"]
        document = body
    }
}
