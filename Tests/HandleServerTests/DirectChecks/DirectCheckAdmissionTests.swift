import HTTPTypes
import HandleRegistry
import NIOConcurrencyHelpers
import Postgres
import TestSupport
import Testing

@testable import HandleServer

/// The requests that are direct checks, and the limits for them.
@Suite struct DirectCheckAdmissionTests {
    private let path = "/v1/availability?handle=johndoe"
    private let caller = InternetAddress("192.0.2.7")

    private func unreachable() throws -> Registry { try Registry(pool: Pool(.init(conninfo: "host=/nonexistent"))) }

    private func head(
        _ method: HTTPRequest.Method = .get, _ path: String, _ fields: [(HTTPField.Name, String)] = []
    ) -> HTTPRequest {
        var head = HTTPRequest(method: method, scheme: "http", authority: "x", path: path)
        for (name, value) in fields { head.headerFields.append(HTTPField(name: name, value: value)) }
        return head
    }

    @Test(arguments: [
        "/v1/availability?handle=johndoe", "/v1/availability?handle=%40John%20Doe&suggestions=3&name=Olga",
        "/v1/availability?handle=&x=1",
    ])
    func checkWithAKeyOrWithoutACredentialIsAdmitted(_ path: String) throws {
        let checks = DirectChecks(of: try unreachable())
        for fields in [[], [(HTTPField.Name.authorization, "Bearer \(testKey)")], [(.connection, "close")]] {
            let head = head(.get, path, fields)
            #expect(checks.mayBeDirect(head))
            let check = try #require(checks.admit(head, from: caller))
            #expect(check.refusal == nil)
            #expect(check.question.caller == (fields.first?.0 == .authorization ? .keyHolder(.admin) : .anyone))
        }
    }

    @Test(arguments: [
        (HTTPRequest.Method.post, "/v1/availability?handle=johndoe"), (.head, "/v1/availability?handle=johndoe"),
        (.get, "/v1/availability"), (.get, "/v1/availability/?handle=johndoe"),
        (.get, "/v1/availability/live?handle=johndoe"), (.get, "//v1/availability?handle=johndoe"),
        (.get, "http://x/v1/availability?handle=johndoe"), (.get, "/livez"),
    ])
    func otherRequestIsLeftToTheRouter(_ method: HTTPRequest.Method, _ path: String) throws {
        #expect(try !DirectChecks(of: unreachable()).mayBeDirect(head(method, path)))
    }

    @Test(arguments: [(HTTPField.Name.upgrade, "h2c"), (.contentLength, "5"), (.transferEncoding, "chunked")])
    func requestWithABodyOrForAnotherProtocolIsLeftToTheRouter(_ name: HTTPField.Name, _ value: String) throws {
        #expect(try !DirectChecks(of: unreachable()).mayBeDirect(head(.get, path, [(name, value)])))
    }

    /// The router refuses it, or answers it with the owner's rights. It is charged there, so not here.
    @Test func checkWithSomethingUnusualIsLeftToTheRouterAndNotCharged() throws {
        let checks = DirectChecks(of: try unreachable()) { $0.anonymous = Rate(1, perSeconds: 300) }
        let long = "/v1/availability?handle=johndoe&x=\(String(repeating: "x", count: 13_000))"
        let key = (HTTPField.Name.authorization, "Bearer \(testKey)")
        for head in [
            head(.get, path, [(.authorization, "Bearer wrong-key-0123456789")]), head(.get, path, [key, key]),
            head(.get, path, [(.authorization, "Basic x")]), head(.get, path + "&owner=one", [key]),
            head(.get, path + "&suggestions=x"), head(.get, path + "&suggestions=21"), head(.get, path + "&handle=a"),
            head(.get, "/v1/availability?name=Olga"), head(.get, "/v1/availability?handle=%4"), head(.get, long),
            head(.get, "/v1/availability?handle=\(String(repeating: "x", count: 201))"),
            head(.get, path + "&name=\(String(repeating: "x", count: 257))"),
        ] { #expect(checks.admit(head, from: caller) == nil, "\(head)") }
        let check = try #require(checks.admit(head(.get, path), from: caller))
        #expect(check.refusal == nil)
    }

    /// The responses to checks, in the order of the checks.
    private func answers(_ checks: DirectChecks, _ admitted: [DirectCheck?]) async throws -> [DirectChecks.Answer] {
        let all = NIOLockedValueBox<[DirectChecks.Answer]>([])
        await checks.answer(try admitted.map { try #require($0) }) { answers in
            all.withLockedValue { $0 += answers }
        }
        return all.withLockedValue(\.self).sorted { $0.position < $1.position }
    }

    @Test func checkOverTheRateLimitIsRefused() async throws {
        let load = ServerLoad()
        let origins = try PageOrigins(["https://app.example"])
        let checks = DirectChecks(of: try await freshRegistry(), load: load, origins: origins) {
            $0.anonymous = Rate(1, perSeconds: 300)
        }
        let fields: [(HTTPField.Name, String)] = [(.origin, "https://app.example"), (.requestID, "shop-4711")]
        let admitted = [head(.get, path), head(.get, path, fields)].map { checks.admit($0, from: caller) }
        #expect(load.requests == 1)
        // Another caller has its own quota.
        let other = checks.admit(head(.get, path), from: InternetAddress("192.0.2.8"))
        let answers = try await answers(checks, admitted + [other])
        #expect(answers.map(\.head.status.code) == [200, 429, 200])
        for answer in answers { #expect(answer.head.headerFields[values: .rateLimit] == ["\"anonymous\";r=0;t=300"]) }
        let refused = answers[1].head.headerFields
        #expect(refused[.retryAfter] == "300" && refused[.contentType] == "application/problem+json")
        #expect(refused[.accessControlAllowOrigin] == "https://app.example" && refused[.requestID] == "shop-4711")
        #expect(load.requests == 0)
        let counted = checks.metrics.all.map { [$0.status, $1.counts.reduce(0, +)] }
        #expect(counted == [[200, 2], [429, 1]])
    }

    @Test func checkOverTheConcurrencyLimitIsRefusedAndNotCounted() async throws {
        let load = ServerLoad()
        let checks = DirectChecks(of: try await freshRegistry(), load: load) { $0.inFlight = 2 }
        let admitted = (0..<3).map { _ in checks.admit(head(.get, path), from: caller) }
        #expect(load.requests == 2)
        let statuses = try await answers(checks, admitted).map(\.head.status.code)
        #expect(statuses == [200, 200, 503])
        #expect(load.requests == 0)
    }

    @Test func checkOverTheGlobalRateLimitIsRefused() async throws {
        let checks = DirectChecks(of: try await freshRegistry()) { $0.global = Rate(1, perSeconds: 300) }
        let admitted = [caller, InternetAddress("192.0.2.8")].map { checks.admit(head(.get, path), from: $0) }
        let answers = try await answers(checks, admitted)
        #expect(answers.map(\.head.status.code) == [200, 503])
        #expect(answers[0].head.headerFields[.rateLimit] != nil && answers[1].head.headerFields[.rateLimit] == nil)
    }

    @Test func checksGet503WhileTheDatabaseIsDown() async throws {
        let checks = DirectChecks(of: try unreachable())
        let paths = [path, "/v1/availability?handle=a!&suggestions=0", "/v1/availability?handle=olga"]
        let answers = try await answers(checks, paths.map { checks.admit(head(.get, $0), from: caller) })
        // The second one needs nothing of the database.
        #expect(answers.map(\.head.status.code) == [503, 200, 503])
    }
}
