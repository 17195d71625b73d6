import Foundation
import HandleClient
import HandleRules
import NIOConcurrencyHelpers
import TestService
import TestSupport
import Testing

/// Failed and unusable responses. The client never takes one for "available", and never makes a write take effect
/// twice.
@Suite(.timeLimit(.minutes(5))) struct FailedCallTests {
    private let clock = ManualClock()

    private func client(
        _ transport: ScriptedTransport, as credential: RegistryClient.Credential = .none,
        limits: RegistryClient.Limits = .init()
    ) throws -> RegistryClient {
        try RegistryClient(
            base: #require(URL(string: "https://handles.example/")), credential: credential, transport: transport,
            limits: limits, clock: clock)
    }

    /// Responses to a check of `janeroe` that do not tell its availability.
    static let worthless: [(String, TransportAnswer)] = [
        ("a fault", .problem(500, "internal")), ("no database", .problem(503, "database_unavailable")),
        ("a limit", .problem(429, "rate_limited")), ("a wrong key", .problem(401, "wrong_key")),
        ("a page", .json("<html><body>Sign in to this network</body></html>")),
        ("a page with an error", .json("<html>Bad gateway</html>", status: 502)), ("nothing", .json("")),
        ("half", .json(#"{"input":"janeroe","handle":"janeroe","display":"janeroe","status":"available","rea"#)),
        ("another name", .decision("johndoe")),
        ("another name for the same input", .decision("janeroe", handle: "johndoe", display: "johndoe")),
        ("a display handle of another name", .decision("janeroe", display: "JohnDoe")),
        ("available with a reason", .decision("janeroe", reasons: TransportAnswer.taken)),
        (
            "available without a handle",
            .json(
                #"{"input":"janeroe","handle":null,"display":null,"status":"available","reasons":[],"suggestions":[]}"#)
        ),
        ("a status of another version", .decision("janeroe", status: "maybe")),
        ("another status of success", .decision("janeroe", code: 203)),
        ("a redirect", TransportAnswer(status: 302, fields: ["location": "https://elsewhere.example/"])),
    ]

    @Test(arguments: worthless.indices) func unusableResponseThrows(_ index: Int) async throws {
        // Each body can be read once.
        let (what, _) = Self.worthless[index]
        let transport = ScriptedTransport { _, _ in Self.worthless[index].1 }
        let client = try client(transport, limits: .once)
        await #expect(throws: HandleClientError.self, "\(what)") { try await client.availability(of: "janeroe") }
    }

    @Test func responseAboveTheSizeLimitThrows() async throws {
        var limits = RegistryClient.Limits.once
        limits.answerBytes = 100
        let long = try client(
            ScriptedTransport { _, _ in .json(String(repeating: " ", count: 101)) }, limits: limits)
        let error = await #expect(throws: HandleClientError.self, "an answer without end is read") {
            try await long.availability(of: "janeroe")
        }
        #expect(error?.code == .unreadable && error?.status == 200)
    }

    @Test func transientFailuresAreRetriedWithBackOff() async throws {
        let transport = ScriptedTransport { number, request throws(HandleClientError) in
            switch number {
            case 0: return .problem(503, "overloaded", fields: ["retry-after": "2"])
            case 1: throw .answerLost
            case 2: return .json("<html>Bad gateway</html>", status: 502)
            default: return .available(request)
            }
        }
        let client = try client(transport)
        let answer = Task { try await client.availability(of: "janeroe") }
        // The pauses: first `Retry-After`, then the back-off, which starts at 250 ms and doubles to 500 ms and 1 s.
        for (number, pause) in [(1, 2000), (2, 500), (3, 1000)] {
            try await eventually("request \(number) has failed") {
                transport.seen.count == number && clock.pauses.contains(.milliseconds(pause))
            }
            clock.advance(by: .milliseconds(pause - 1))
            #expect(transport.seen.count == number)
            clock.advance(by: .milliseconds(1))
        }
        #expect(try await answer.value.available)
        #expect(transport.seen.count == 4)
    }

    @Test(arguments: [true, false]) func retryAfterBeyondTheBudgetIsNotWaitedFor(_ isOfAProxy: Bool) async throws {
        let field = ["retry-after": "16"]
        let transport = ScriptedTransport { _, _ in
            isOfAProxy ? .json("<html>", status: 429, fields: field) : .problem(429, "rate_limited", fields: field)
        }
        let error = await #expect(throws: HandleClientError.self, "there is no answer") {
            try await client(transport).availability(of: "janeroe")
        }
        #expect(error?.retryAfter == .seconds(16) && error?.isTransient == true)
        #expect(transport.seen.count == 1)
    }

    /// Such a response comes from another server, so nothing was released or forgotten.
    @Test(arguments: [200, 202]) func deletionWithAnUnexpectedResponseThrows(_ status: Int) async throws {
        let client = try client(ScriptedTransport { _, _ in .json("<html>", status: status) }, as: .key("key"))
        await #expect(throws: HandleClientError.self) { try await client.release("janeroe") }
        await #expect(throws: HandleClientError.self) { try await client.releaseAtOnce("janeroe") }
        await #expect(throws: HandleClientError.self) { try await client.unlock(owner: "jane") }
        await #expect(throws: HandleClientError.self) { try await client.forget(owner: "jane") }
    }

    @Test(arguments: [".", ".."]) func ownerThatIsADotSegmentIsRefused(_ owner: String) async throws {
        let transport = ScriptedTransport { _, _ in .json(#"{"handles":[]}"#) }
        let client = try client(transport, as: .key("key"))
        await #expect(throws: HandleClientError.self) { try await client.handles(of: .id(owner)) }
        await #expect(throws: HandleClientError.self) { try await client.forget(owner: owner) }
        #expect(transport.seen.isEmpty)
    }

    @Test func recordWithAnUnknownStateDoesNotHideTheOthers() async throws {
        func record(_ handle: String, _ state: String) -> String {
            #"{"handle":"\#(handle)","display":"\#(handle)","state":"\#(state)","owner":"jane","version":1,"changed_at":"2026-11-21T10:00:00Z"}"#
        }
        let list = #"{"handles":[\#(record("janeroe", "claimed")),\#(record("johndoe", "auctioned"))]}"#
        let client = try client(ScriptedTransport { _, _ in .json(list) }, as: .key("key"))
        #expect(try await client.handles(of: .id("jane")).map(\.state) == [.claimed, nil])
    }

    @Test func callOfASilentServiceTimesOut() async throws {
        let transport = ScriptedTransport { _, _ throws(HandleClientError) in
            do { try await Task.sleep(for: .seconds(3600)) } catch { throw .cancelled }
            throw .answerLost
        }
        let client = try client(transport, limits: .once)
        let answer = Task { try await client.availability(of: "janeroe") }
        try await eventually("the request is sent") { transport.seen.count == 1 && clock.pauses.contains(.seconds(10)) }
        clock.advance(by: .seconds(10))
        await #expect(throws: HandleClientError.self) { try await answer.value }
    }

    @Test func cancelledCallEndsAtOnce() async throws {
        let transport = ScriptedTransport { _, _ in .problem(503, "overloaded", fields: ["retry-after": "9"]) }
        let client = try client(transport)
        let answer = Task { try await client.availability(of: "janeroe") }
        try await eventually("the client waits") { clock.pauses.contains(.seconds(9)) }
        answer.cancel()
        let error = await #expect(throws: HandleClientError.self) { try await answer.value }
        #expect("\(error, default: "nil")" == "cancelled")
        #expect(transport.seen.count == 1)
    }

    @Test func writeIsRetriedWithTheSameIdempotencyKey() async throws {
        let transport = ScriptedTransport { number, _ throws(HandleClientError) in
            if number == 0 { throw .answerLost }
            if number == 1 { return .problem(409, "in_flight", fields: ["retry-after": "1"]) }
            return .json(
                #"{"handle":"janeroe","display":"JaneRoe","state":"claimed","owner":"jane","version":1,"changed_at":"2026-11-21T10:00:00.000Z"}"#,
                status: 201)
        }
        let client = try client(transport, as: .key("key"))
        let claim = Task { try await client.claim("JaneRoe", for: .id("jane")) }
        for number in 1...2 {
            try await eventually("request \(number) has failed") {
                transport.seen.count == number && clock.pauses.contains(.milliseconds(number == 1 ? 250 : 1000))
            }
            clock.advance(by: .seconds(1))
        }
        #expect(try await claim.value.owner == "jane")
        let keys = transport.seen.map { $0[field: "Idempotency-Key"] }
        #expect(keys.count == 3 && Set(keys).count == 1 && keys[0] != nil)
        #expect(Set(transport.seen.map(\.body)).count == 1)
    }

    @Test(arguments: [
        (429, "hold_paused"), (409, "taken"), (422, "idempotency_key_reused"), (403, "missing_scope"),
        (403, "owner_locked"), (422, "too_many_changes"),
    ])
    func problemThatARetryCannotSolveIsThrownAtOnce(_ status: Int, _ code: String) async throws {
        let transport = ScriptedTransport { _, _ in .problem(status, code, fields: ["retry-after": "1"]) }
        let client = try client(transport, as: .key("key"))
        let error = await #expect(throws: HandleClientError.self) {
            try await client.hold("janeroe", for: .id("jane"))
        }
        #expect(error?.problem?.code.rawValue == code)
        #expect(transport.seen.count == 1)
    }

    @Test func rejectedTokenIsRequestedOnceMore() async throws {
        let rejected = NIOLockedValueBox<[String?]>([])
        let person = RegistryClient.Credential.person { old in
            rejected.withLockedValue { $0.append(old) }
            return old == nil ? "old" : "new"
        }
        let transport = ScriptedTransport { _, request in
            request[field: "Authorization"] == "Bearer new" ? .json(#"{"handles":[]}"#) : .problem(401, "wrong_key")
        }
        #expect(try await client(transport, as: person).handles(of: .me).isEmpty)
        #expect(rejected.withLockedValue(\.self) == [nil, "old"])
        #expect(transport.seen.map { $0[field: "Authorization"] } == ["Bearer old", "Bearer new"])

        let hopeless = ScriptedTransport { _, _ in .problem(401, "wrong_key") }
        let error = await #expect(throws: HandleClientError.self) {
            try await client(hopeless, as: person).handles(of: .me)
        }
        #expect(hopeless.seen.count == 2)
        #expect(error?.code == .newTokenRejected && error?.problem?.code == .wrongKey && error?.isTransient == false)
        // A key can't change, so the call is not retried.
        let key = ScriptedTransport { _, _ in .problem(401, "wrong_key") }
        await #expect(throws: HandleClientError.self) {
            try await client(key, as: .key("key")).handles(of: .id("jane"))
        }
        #expect(key.seen.count == 1)
    }

    /// A closure that can't renew a token returns the rejected one.
    @Test func rejectedTokenIsNotSentAgain() async throws {
        let transport = ScriptedTransport { _, _ in .problem(401, "wrong_key") }
        let error = await #expect(throws: HandleClientError.self) {
            try await client(transport, as: .person { _ in "old" }).handles(of: .me)
        }
        #expect(error?.code == .problem)
        #expect(transport.seen.count == 1)
    }

    @Test(arguments: ["tokens_not_accepted", "unknown_issuer"])
    func noNewTokenIsRequestedWhereNoneIsAccepted(_ code: String) async throws {
        let transport = ScriptedTransport { _, _ in .problem(401, code) }
        let requests = NIOLockedValueBox(0)
        let person = RegistryClient.Credential.person { _ in
            requests.withLockedValue { $0 += 1 }
            return "token"
        }
        let error = await #expect(throws: HandleClientError.self) {
            try await client(transport, as: person).handles(of: .me)
        }
        #expect(error?.problem?.code.rawValue == code)
        #expect(transport.seen.count == 1 && requests.withLockedValue(\.self) == 1)
    }

    @Test func requestIsNotSentWithoutAToken() async throws {
        struct SignedOut: Error {}
        let transport = ScriptedTransport { _, request in .available(request) }
        let client = try client(transport, as: .person { _ in throw SignedOut() })
        let error = await #expect(throws: HandleClientError.self, "nobody is signed in") {
            try await client.hold("janeroe")
        }
        #expect(error?.code == .noToken && error?.cause is SignedOut)
        #expect(transport.seen.isEmpty)
    }

    @Test(arguments: ["ftp://handles.example", "handles.example", "https://handles.example/?a=b", "https:///v1"])
    func wrongBaseURLIsReported(_ base: String) async throws {
        let client = RegistryClient(
            base: try #require(URL(string: base)), transport: ScriptedTransport { .available($1) })
        await #expect { try await client.availability(of: "janeroe") } throws: { error in
            "\(error)".contains("https://handles.example")
        }
    }

    @Test(arguments: ["", "a b", "a\r\nX-Other: 1", "ключ"])
    func keyThatIsNoHeaderValueIsRefused(_ key: String) async throws {
        let transport = ScriptedTransport { .available($1) }
        await #expect(throws: HandleClientError.self) {
            try await client(transport, as: .key(key)).availability(of: "janeroe")
        }
        await #expect(throws: HandleClientError.self) {
            try await client(transport, as: .key("key")).hold("janeroe", for: .id("a"), idempotencyKey: key)
        }
        #expect(transport.seen.isEmpty)
    }

    @Test(arguments: ["Jane Roe+&=%", "../../v1", "ｊａｎｅ", "a/b?c#d", "é"]) func typedTextStaysOneSegmentOfThePath(
        _ typed: String
    ) async throws {
        let transport = ScriptedTransport { _, _ in .problem(404, "no_such_handle") }
        let client = try client(transport)
        #expect(try await client.record(of: typed) == nil)
        let url = try #require(transport.seen.first?.url)
        #expect(url.host() == "handles.example" && url.query() == nil)
        let part = url.absoluteString.dropFirst("https://handles.example/v1/handles/".count)
        #expect(!part.contains("/") && part.removingPercentEncoding == typed)
    }

    @Test func descriptionsContainNoSecret() async throws {
        let client = try client(ScriptedTransport { .available($1) }, as: .key("secret-key"))
        var text = ""
        dump(client, to: &text)
        text += "\(client) \(String(reflecting: client)) \(client)"
        let transport = ScriptedTransport { _, _ in .problem(409, "taken") }
        _ = try? await self.client(transport, as: .key("secret-key")).claim(
            "janeroe", for: .id("a"), hold: "secret-hold")
        let request = try #require(transport.seen.first)
        dump(request, to: &text)
        text += "\(request) \(String(reflecting: request))"
        #expect(!text.contains("secret-"))
    }
}
