import Foundation
import HandleRegistry
import HandleRules
import Postgres
import TestSupport
import Testing

@Suite struct AccessKeyRouteTests {
    @Test func keyMayCallOnlyTheRoutesThatItsScopesInclude() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let keys = [
            (KeyScope.read, try await store.newKey([.read])), (.claim, try await store.newKey([.claim])),
            (.moderate, try await store.newKey([.moderate])), (.admin, try await store.newKey([.admin])),
            (.feed, try await store.newKey([.feed])), (.metrics, try await store.newKey([.metrics])),
            (.claim, try await store.newKey([.read, .claim])),
        ]
        try await withServer(registry, keys: store, typingPause: .zero) { first, anonymous in
            for call in RouteCall.all where !call.isStream {
                let (method, needed) = (call.method, call.scope)
                let (path, body) = call.example(handle: "some_name", owner: "one")
                let answer = try await anonymous.send(method, path, body)
                #expect((answer.status == 401) == (needed != nil), "\(method) \(path) without a key")
                #expect(needed == nil || answer.json["code"] as? String == "no_key")
                for (scope, key) in keys {
                    let client = HTTPClient(port: first.port, key: key.text)
                    let answer = try await client.send(method, path, body)
                    let about = Comment(rawValue: "\(method) \(path) with \(scope): \(answer.body)")
                    if let needed, !scope.includes(needed) {
                        #expect(answer.status == 403 && answer.json["code"] as? String == "missing_scope", about)
                        #expect(answer.json["scope"] as? String == needed.rawValue, about)
                        #expect((answer.json["detail"] as? String)?.contains("'\(needed.rawValue)'") == true, about)
                        #expect(answer.headers["www-authenticate"]?.contains("insufficient_scope") == true, about)
                    } else {
                        #expect(![401, 403].contains(answer.status) && answer.status < 500, about)
                    }
                }
                let status = try await first.send(method, path, body).status
                #expect(![401, 403].contains(status), "\(method) \(path) with the first key")
            }
        }
    }

    /// The keys have not been confirmed for too long, as in an outage of the database.
    @Test func unconfirmedKeyIsGoodForTheMetricsOnly() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool, longestUnconfirmed: .zero)
        let keys = [try await store.newKey([.metrics]), try await store.newKey([.read, .claim])]
        try await withServer(registry, keys: store, typingPause: .zero) { first, _ in
            for (key, metrics) in zip(keys, [200, 503]) {
                let client = HTTPClient(port: first.port, key: key.text)
                #expect(try await client.send("GET", "/metrics").status == metrics)
                for call in RouteCall.all where !call.isStream && call.scope != .metrics {
                    let (path, body) = call.example(handle: "some_name", owner: "one")
                    let answer = try await client.send(call.method, path, body)
                    #expect(answer.status == 503 || answer.status < 300 && !path.hasPrefix("/v1"), "\(path): \(answer)")
                }
            }
            let unknown = HTTPClient(port: first.port, key: AccessKey.random().text)
            #expect(try await unknown.send("GET", "/metrics").status == 503)
            #expect(try await first.send("GET", "/metrics").status == 200)
        }
    }

    @Test func reservationIsReleasedOnlyWithAModeratorsKey() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let (claiming, moderating) = (try await store.newKey([.claim]), try await store.newKey([.moderate]))
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        try await withServer(registry, keys: store) { first, _ in
            let clients = [claiming, moderating].map { HTTPClient(port: first.port, key: $0.text) }
            let refused = try await clients[0].send("DELETE", "/v1/handles/acme")
            #expect(refused.status == 403 && refused.json["code"] as? String == "missing_scope")
            #expect(refused.json["scope"] as? String == "moderate")
            #expect(try await first.send("GET", "/v1/handles/acme").json["state"] as? String == "reserved")
            #expect(try await clients[1].send("DELETE", "/v1/handles/acme").status == 204)
            #expect(try await first.send("GET", "/v1/handles/acme").status == 404)
        }
    }

    @Test func everyInvalidKeyGetsTheSame401() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let revoked = try await store.newKey([.admin])
        _ = try await store.revoke(revoked.id, actor: "tester")
        let good = try await store.newKey([.admin])
        let past = try #require(KeyGrant(name: "old", scopes: [.admin], until: Date.now.addingTimeInterval(-1)))
        let ended = try await store.create(past, actor: "tester").key
        try await store.refresh()
        let wrong = [revoked.text, ended.text, AccessKey.random().text, String(good.text.dropLast()), good.text + "x"]
        try await withServer(registry, keys: store) { first, _ in
            var answers: Set<String> = []
            for text in wrong {
                for path in ["/v1/availability?handle=some_name", "/v1/owners/one/handles"] {
                    let answer = try await HTTPClient(port: first.port, key: text).send("GET", path)
                    #expect(answer.status == 401)
                    answers.insert(answer.body + (answer.headers["www-authenticate"] ?? ""))
                }
            }
            #expect(answers.count == 1)
        }
    }

    /// The pool is closed, so a request that needed a query would fail.
    @Test func keyCheckNeedsNoQuery() async throws {
        let pool = patientPool(try await TestCluster.shared.freshDatabase())
        let (registry, store) = (try Registry(pool: pool), KeyStore(pool: pool))
        let key = try await store.newKey([.claim])
        await pool.close()
        try await withServer(registry, keys: store) { first, _ in
            func status(_ key: String) async throws -> Int {
                // The name `ab` breaks a rule, which is found without a query too.
                try await HTTPClient(port: first.port, key: key).send("PUT", "/v1/handles/ab", #"{"owner":"one"}"#)
                    .status
            }
            #expect(try await status(key.text) == 422)
            #expect(try await status(AccessKey.random().text) == 401)
            var mistyped = Array(key.text)
            mistyped.swapAt(10, try #require((11..<43).first { mistyped[$0] != mistyped[10] }))
            #expect(try await status(String(mistyped)) == 401)
        }
    }

    /// A key that may be valid gets no 401 before the keys are loaded. A key with a wrong checksum does, and the first
    /// key works without them.
    @Test func wellFormedKeyGets503UntilTheKeysAreLoaded() async throws {
        let registry = try Registry(pool: Pool(.init(conninfo: "host=/nonexistent dbname=x")))
        try await withServer(registry) { first, _ in
            let good = HTTPClient(port: first.port, key: AccessKey.random().text)
            let answer = try await good.send("PUT", "/v1/handles/ab", #"{"owner":"one"}"#)
            #expect(answer.status == 503 && answer.headers["retry-after"] == "1")
            let mistyped = HTTPClient(port: first.port, key: AccessKey.random().text + "a")
            #expect(try await mistyped.send("PUT", "/v1/handles/ab", #"{"owner":"one"}"#).status == 401)
            #expect(try await first.send("PUT", "/v1/handles/ab", #"{"owner":"one"}"#).status == 422)
        }
    }

    @Test func eachKeyIsAnActorAndANamespaceOfIdempotencyKeys() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let signup = try await store.newKey([.claim], "signup")
        let support = try await store.newKey([.claim], "support")
        try await withServer(registry, keys: store) { first, _ in
            let same = ["Idempotency-Key": "one-and-the-same"]
            for (key, name, actor) in [
                (signup, "some_name", "key:signup"), (support, "other_name", "key:support"),
            ] {
                let client = HTTPClient(port: first.port, key: key.text)
                let answer = try await client.send("PUT", "/v1/handles/\(name)", #"{"owner":"one"}"#, headers: same)
                #expect(answer.status == 201)
                let handle = try #require(Handle(name))
                #expect(try await registry.history(of: handle).map(\.actor) == [actor])
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func streamEndsWhenItsKeyIsRevoked() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let key = try await store.newKey([.read])
        try await withServer(registry, keys: store) { first, _ in
            let client = HTTPClient(port: first.port, key: key.text)
            var seen: [String] = []
            for await event in try await client.events("/v1/availability/watch?handle=some_name") {
                seen.append(event)
                guard event == "available" else { continue }
                _ = try await store.revoke(key.id, actor: "tester")
                try await store.refresh()
            }
            #expect(seen == ["available", "end"])
        }
    }
}
