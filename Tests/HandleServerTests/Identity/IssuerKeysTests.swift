#if IdentityTokens
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import HandleServer

@Suite(.timeLimit(.minutes(5))) struct IssuerKeysTests {
    private let first = TestKey.p256("first")
    private let second = TestKey.p256("second")

    private func ids(_ answer: IssuerKeys.Answer) -> [String?]? {
        switch answer {
        case .known(let keys): keys.map(\.id)
        case .unknown: []
        case .notLoaded: nil
        }
    }

    @Test func concurrentCallsShareOneReadAndTokensCauseOneIn30Seconds() async throws {
        let published = PublishedKeys(TestKey.set([first.jwk]))
        try await published.serve { [first, second] address in
            let keys = IssuerKeys(.url(address + "/keys"), patience: .seconds(60))
            try await keys.refresh()
            #expect(published.requests == 1)
            let start = ContinuousClock.now
            // The key is known, so nothing is read.
            _ = await keys.answer(to: "first", "ES256", at: start)
            #expect(published.requests == 1)

            published.publish(TestKey.set([first.jwk, second.jwk]))
            published.hold()
            let before = keys.joined
            try await withThrowingTaskGroup(of: [String?]?.self) { group in
                group.addTask { ids(await keys.answer(to: "second", "ES256", at: start)) }
                try await eventually("the keys are requested") { published.requests == 2 }
                for number in 0..<100 {
                    // Half of the calls come after the pause of 30 seconds: only the read under way keeps them from
                    // causing another.
                    let now = start + .seconds(number % 2 == 0 ? 0 : 60)
                    let id = number % 4 < 2 ? "second" : "x\(number)"
                    group.addTask { ids(await keys.answer(to: id, "ES256", at: now)) }
                }
                try await eventually("all calls wait for the same read") { keys.joined == before + 101 }
                published.letGo()
                for try await found in group { #expect(found == ["second"] || found == []) }
            }
            #expect(published.requests == 2)

            for seconds in [61, 70, 89] { _ = await keys.answer(to: "random", "ES256", at: start + .seconds(seconds)) }
            let requests = published.requests
            _ = await keys.answer(to: "random", "ES256", at: start + .seconds(91))
            #expect(requests <= 3 && published.requests == requests + 1)
        }
    }

    /// The service must stop at once even if an issuer does not answer.
    @Test func cancelledCallDoesNotWaitForTheRead() async throws {
        let published = PublishedKeys(TestKey.set([first.jwk]))
        try await published.serve { address in
            let keys = IssuerKeys(.url(address + "/keys"), patience: .seconds(3600))
            published.hold()
            let refresh = Task { try await keys.refresh() }
            let caller = Task { ids(await keys.answer(to: "first", "ES256")) }
            try await eventually("both calls wait for the issuer") { published.requests == 1 && keys.joined == 2 }
            refresh.cancel()
            await #expect(throws: CancellationError.self) { try await refresh.value }
            // The read goes on for the other waiter.
            published.letGo()
            #expect(await caller.value == ["first"])
            #expect(published.requests == 1)
        }
    }

    /// The issuer with the keys at an address.
    private func issuer(_ keys: String, patience: Duration = .seconds(60)) throws -> TokenIssuer {
        try #require(
            TokenIssuer(
                name: "https://login.example", audiences: ["app"], keys: .url(keys), patience: patience))
    }

    @Test func firstTokenOfANewKeyCausesAReadAndARefreshReplacesTheKeys() async throws {
        let published = PublishedKeys(TestKey.set([first.jwk]))
        try await published.serve { [self] address in
            let issuer = try issuer(address + "/keys")
            try await issuer.keys.refresh()
            published.publish(TestKey.set([first.jwk, second.jwk]))
            try await withServer(tokens: TokenVerifier([issuer])) { [first, second] _, anonymous in
                func statuses() async throws -> [Int] {
                    var statuses: [Int] = []
                    for key in [second, first] {
                        let client = HTTPClient(port: anonymous.port, key: try key.token())
                        statuses.append(try await client.send("GET", "/v1/owners/me/handles").status)
                    }
                    return statuses
                }
                let both = try await statuses()
                #expect(both == [200, 200])
                published.publish(TestKey.set([second.jwk]))
                // A token caused a read, and another token may not cause one within 30 seconds. So the test refreshes the
                // keys, as the service does every ten minutes.
                try await issuer.keys.refresh()
                let one = try await statuses()
                #expect(one == [200, 401])
            }
        }
    }

    @Test func knownKeysStayWhenARefreshFails() async throws {
        let published = PublishedKeys(TestKey.set([first.jwk]))
        try await published.serve { address in
            let keys = IssuerKeys(.url(address + "/keys"), patience: .seconds(60))
            try await keys.refresh()
            let start = ContinuousClock.now
            let large = #"{"keys":[],"x":"\#(String(repeating: "x", count: 1024 * 1024))"}"#
            for (body, status) in [
                ("", 500), (TestKey.set([]), 404), (TestKey.set([]), 204), ("", 200), ("{}", 200), ("[]", 200),
                (#"{"keys":{}}"#, 200), ("<html>", 200), (large, 200),
            ] {
                published.publish(body, .init(code: status))
                await #expect(throws: (any Error).self, "\(body.prefix(20)) \(status)") { try await keys.refresh() }
            }
            // The same when a token causes the read.
            let unknown = ids(await keys.answer(to: "other", "ES256", at: start + .seconds(31)))
            let known = ids(await keys.answer(to: "first", "ES256", at: start + .seconds(100)))
            #expect(unknown == [] && known == ["first"])
            // A set without keys is valid and replaces the keys.
            published.publish(TestKey.set([]))
            try await keys.refresh()
            #expect(keys.count == 0)
        }
        // No server listens on this port.
        let away = IssuerKeys(.url("http://127.0.0.1:1/keys"))
        await #expect(throws: (any Error).self) { try await away.refresh() }
    }

    @Test func redirectIsNotFollowedAndASlowAnswerTimesOut() async throws {
        let published = PublishedKeys(TestKey.set([first.jwk]))
        try await published.serve { address in
            await #expect(throws: KeySource.Fault.self) {
                try await IssuerKeys(.url(address + "/moved"), patience: .seconds(60)).refresh()
            }
            #expect(published.requests == 1)
            await #expect(throws: KeySource.Fault.self) { try await IssuerKeys(.url(address + "/dripping")).refresh() }
        }
    }

    @Test func tokenGets503UntilTheKeysOfItsIssuerAreRead() async throws {
        let issuer = try issuer("http://127.0.0.1:1/keys", patience: .seconds(5))
        try await withServer(tokens: TokenVerifier([issuer])) { [first] _, anonymous in
            let client = HTTPClient(port: anonymous.port, key: try first.token())
            for (method, path) in [("PUT", "/v1/handles/zebra_x"), ("GET", "/v1/availability?handle=zebra_x")] {
                let answer = try await client.send(method, path, method == "PUT" ? "{}" : nil)
                #expect(answer.status == 503 && answer.json["code"] as? String == "keys_unavailable")
                #expect(answer.headers["retry-after"] == "1")
            }
            // A token of another issuer, which is not configured, gets 401 all the same.
            let other = try first.token(["iss": #""https://other.example""#])
            let answer = try await HTTPClient(port: anonymous.port, key: other).send("GET", "/v1/owners/me/handles")
            #expect(answer.status == 401)
        }
    }

    @Test func changedKeyFileIsReadAgain() async throws {
        let file = TemporaryFolder.make("file") + "/keys.json"
        func write(_ text: String) throws { try text.write(toFile: file, atomically: true, encoding: .utf8) }
        try write(TestKey.set([first.jwk]))
        let keys = IssuerKeys(.file(file))
        try await keys.refresh()
        #expect(ids(await keys.answer(to: "first", "ES256")) == ["first"])
        try write(TestKey.set([first.jwk, second.jwk]))
        #expect(ids(await keys.answer(to: "second", "ES256")) == ["second"])
        for text in ["", "{", String(repeating: " ", count: 1024 * 1024 + 1)] {
            try write(text)
            await #expect(throws: (any Error).self) { try await keys.refresh() }
        }
        try FileManager.default.removeItem(atPath: file)
        await #expect(throws: KeySource.Fault.self) { try await keys.refresh() }
        #expect(ids(await keys.answer(to: "second", "ES256")) == ["second"])
        await #expect(throws: KeySource.Fault.self) { try await IssuerKeys(.file("/tmp")).refresh() }
        await #expect(throws: KeySource.Fault.self) { try await IssuerKeys(.file("/dev/zero")).refresh() }
    }

    @Test(arguments: [
        "", "http://login.example/keys", "http://127.0.0.1.evil.example/keys", "http://127.0.0.1@evil.example/keys",
        "https://", "https:///keys", "https://user:secret@login.example/keys", "ftp://login.example/keys",
        "file:///etc/passwd", "https://login.example/keys#part", "HTTP://login.example", "://",
    ])
    func malformedOrInsecureKeySourceIsRefused(_ text: String) { #expect(KeySource(text) == nil) }

    @Test(arguments: [
        ("https://login.example/keys", true), ("http://127.0.0.1:8080/keys", true), ("http://localhost/keys", true),
        ("http://[::1]:80/keys", true), ("HTTPS://login.example/", true), ("keys.json", false),
        ("/run/keys.json", false),
    ])
    func keySourceIsAnAddressOrAFile(_ text: String, _ isAddress: Bool) {
        #expect(KeySource(text) == (isAddress ? .url(text) : .file(text)))
    }
}
#endif
