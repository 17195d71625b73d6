import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Issuer {
    /// Runs `body` with an issuer on 127.0.0.1, and stops the issuer afterwards.
    public static func run<Result: Sendable>(
        _ options: Options = Options(), _ body: @escaping @Sendable (Issuer) async throws -> Result
    ) async throws -> Result {
        let service = Service()
        let responder = CallbackResponder<Service.Context> { request, context in
            try await service.answer(request, context)
        }
        return try await LoopbackServer.run(responder, port: options.port) { url in
            let issuer = Issuer(url: url, options: options)
            await service.begin(issuer)
            let result = await Swift.Result<Result, any Error> { try await body(issuer) }
            await issuer.stop()
            return try result.get()
        }
    }
}

/// Answers the requests over HTTP.
private actor Service {
    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = .init(source: source)
            channel = source.channel
        }
    }

    /// A fault has closed the connection.
    private struct Closed: Error {}

    private var issuer: Issuer?

    func begin(_ issuer: Issuer) { self.issuer = issuer }

    func answer(_ request: Request, _ context: Context) async throws -> Response {
        guard let issuer else { return Response(status: .serviceUnavailable) }
        // Browsers request it on their own, and log a 404 as an error of the page.
        if request.uri.path == "/favicon.ico" { return Response(status: .noContent) }
        if request.uri.path == "/faults" { return try await setFaults(request, issuer) }
        if request.uri.path == "/sign-out-everywhere" { return try await endSessions(request, issuer) }
        guard let endpoint = Self.endpoints[request.uri.path] else { return Response(status: .notFound) }
        let fault = await issuer.nextFault(of: endpoint)
        switch fault {
        case .delay(let duration): try await Task.sleep(for: duration)
        case .drop: throw await closed(context)
        case .status(let status, let retryAfter):
            return response(
                Answer(status: status, fields: retryAfter.map { [("Retry-After", String($0))] } ?? []))
        case .garbage: return response(.page(200, "<!doctype html><title>Welcome</title><p>Buy an hour of network."))
        case .refuse(let code): return response(.error(code, "a fault that a test has set"))
        case .redirect(let location): return response(.redirect(to: location))
        case .hold, .lose, .cut, .claim, nil: break
        }
        let answer = try await decide(endpoint, request, issuer, fault)
        switch fault {
        case .lose: throw await closed(context)
        case .cut: return cut(answer, context)
        default: return response(answer)
        }
    }

    private static let endpoints: [String: Endpoint] = [
        "/.well-known/openid-configuration": .discovery, "/keys": .keys, "/authorize": .authorization,
        "/token": .token, "/revoke": .revocation, "/userinfo": .userInfo,
    ]

    private func decide(
        _ endpoint: Endpoint, _ request: Request, _ issuer: Issuer, _ fault: Fault?
    ) async throws -> Answer {
        let authorization = request.headers[.authorization]
        switch (endpoint, request.method) {
        case (.discovery, .get): return await issuer.metadata
        case (.keys, .get): return .json(200, ["keys": [issuer.key.jwk]])
        case (.authorization, .get): return await issuer.authorize(request.uri.query ?? "", as: nil)
        case (.authorization, .post):
            let form = try await form(of: request)
            return await issuer.authorize(
                request.uri.query ?? "", as: form["person"], isDenied: form["decision"] == "deny")
        case (.token, .post):
            let form = try await form(of: request)
            return await issuer.token(form, Issuer.Client(form, authorization: authorization), fault)
        case (.revocation, .post):
            let form = try await form(of: request)
            return await issuer.revoke(form, Issuer.Client(form, authorization: authorization))
        case (.userInfo, .get): return await issuer.userInfo(authorization: authorization)
        default: return .error("invalid_request", "this method is not for this address", status: 405)
        }
    }

    private func form(of request: Request) async throws -> Form {
        Form(String(buffer: try await request.body.collect(upTo: 64 << 10)))
    }

    /// Queues faults: `POST /faults` with `{"endpoint": "token", "fault": "drop", "times": 2}`. For tests that run the
    /// program.
    private func setFaults(_ request: Request, _ issuer: Issuer) async throws -> Response {
        struct Target: Decodable {
            let endpoint: Endpoint
            let times: Int?
        }
        return try await obey(request) { body in
            let target = try JSONDecoder().decode(Target.self, from: body)
            let fault = try JSONDecoder().decode(Fault.self, from: body)
            for _ in 0..<max(0, min(target.times ?? 1, 10_000)) { await issuer.fail(target.endpoint, with: fault) }
        }
    }

    /// Ends all sessions of a person: `POST /sign-out-everywhere` with `{"person": "jane"}`.
    private func endSessions(_ request: Request, _ issuer: Issuer) async throws -> Response {
        struct Target: Decodable { let person: String }
        return try await obey(request) { body in
            await issuer.endSessions(of: try JSONDecoder().decode(Target.self, from: body).person)
        }
    }

    private func obey(_ request: Request, _ body: (Data) async throws -> Void) async throws -> Response {
        guard request.method == .post else { return Response(status: .methodNotAllowed) }
        let json = Data(try await request.body.collect(upTo: 64 << 10).readableBytesView)
        do { try await body(json) } catch { return response(.error("invalid_request", "\(error)")) }
        return Response(status: .noContent)
    }

    private func closed(_ context: Context) async -> Closed {
        try? await context.channel.close()
        return Closed()
    }

    private func response(_ answer: Answer) -> Response {
        Response(
            status: .init(code: answer.status), headers: fields(of: answer),
            body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
    }

    /// Announces the whole body in the head, and sends half of it.
    private func cut(_ answer: Answer, _ context: Context) -> Response {
        let half = ByteBuffer(bytes: answer.body.prefix(answer.body.count / 2))
        return Response(
            status: .init(code: answer.status), headers: fields(of: answer),
            body: .init(contentLength: answer.body.count) { writer in
                try await writer.write(half)
                try await context.channel.close()
                throw Closed()
            })
    }

    private func fields(of answer: Answer) -> HTTPFields {
        var fields = HTTPFields()
        fields[.contentType] = answer.type
        fields[.cacheControl] = "no-store"
        for (name, value) in answer.fields {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }
}

extension Issuer {
    private struct Metadata: Encodable {
        let issuer: String
        let authorization_endpoint: String
        let token_endpoint: String
        let revocation_endpoint: String
        let userinfo_endpoint: String
        let jwks_uri: String
        let response_types_supported = ["code"]
        let grant_types_supported = ["authorization_code", "refresh_token"]
        let subject_types_supported = ["public"]
        let scopes_supported = ["openid", "offline_access", "email"]
        let id_token_signing_alg_values_supported = ["ES256"]
        let code_challenge_methods_supported = ["S256"]
        let token_endpoint_auth_methods_supported: [String]
        let authorization_response_iss_parameter_supported = true
    }

    var metadata: Answer {
        let base = url.absoluteString
        return .json(
            200,
            Metadata(
                issuer: base, authorization_endpoint: base + "/authorize", token_endpoint: base + "/token",
                revocation_endpoint: base + "/revoke", userinfo_endpoint: base + "/userinfo",
                jwks_uri: base + "/keys",
                token_endpoint_auth_methods_supported: options.takesSecretInForm
                    ? ["client_secret_post"] : ["none", "client_secret_basic", "client_secret_post"]))
    }
}
