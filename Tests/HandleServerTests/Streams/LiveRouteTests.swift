import Foundation
import HandleRegistry
import TestSupport
import Testing

@testable import HandleServer

@Suite struct LiveRouteTests {
    @Test func lastKeystrokeIsAnsweredAndEarlierOnesAreSupersededAtOnce() async throws {
        let clock = ManualClock()
        try await withServer(typingClock: clock) { client, anonymous in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            let typed = Array("johndoe".indices.dropFirst()) + ["johndoe".endIndex]
            let answers = try await withThrowingTaskGroup(of: (Int, HTTPAnswer).self) { group in
                for (seq, end) in typed.enumerated() {
                    group.addTask {
                        let path = "/v1/availability/live?handle=\("johndoe"[..<end])&session=page-1&seq=\(seq)"
                        return (seq, try await anonymous.send("GET", path))
                    }
                }
                // All superseded calls are answered before the pause of the last one ends.
                var answers: [Int: HTTPAnswer] = [:]
                while answers.count < typed.count - 1, let (seq, answer) = try await group.next() {
                    answers[seq] = answer
                }
                try await eventually("the last keystroke waits out the pause") { clock.sleepers == 1 }
                clock.advance(by: .milliseconds(300))
                while let (seq, answer) = try await group.next() { answers[seq] = answer }
                return answers
            }
            for (seq, answer) in answers where seq < typed.count - 1 {
                #expect(answer.status == 409 && answer.json["code"] as? String == "superseded")
            }
            let last = try #require(answers[typed.count - 1])
            #expect(last.status == 200)
            #expect(last.json["handle"] as? String == "johndoe")
            #expect(last.json["session"] as? String == "page-1")
            #expect(last.json["seq"] as? Int == typed.count - 1)
            #expect(last.reasonCodes == ["taken"])
            #expect((last.json["suggestions"] as? [Any])?.count == 5)
            let metrics = try await client.send("GET", "/metrics").body
            #expect(metrics.contains("\nhandles_live_begun_total 1\n"))
            #expect(metrics.contains("\nhandles_live_calls_total 7\n"))
        }
    }

    /// The concurrency limit counts a live call only once its pause is over.
    @Test(.timeLimit(.minutes(5))) func liveCallTakesNoRequestSlotDuringItsPause() async throws {
        let (clock, drain) = (ManualClock(), Drain())
        try await withServer(typingClock: clock, drain: drain, configure: { $0.limits.inFlight = 1 }) {
            client, anonymous in
            let path = "/v1/availability/live?handle=johndoe&session=s&seq=1"
            async let live = anonymous.send("GET", path)
            try await eventually("the live call waits") { clock.sleepers == 1 }
            let claimed = try await client.send("PUT", "/v1/handles/janedoe", #"{"owner":"one"}"#)
            #expect(claimed.status == 201)
            // After the pause the live call needs a slot, as any request does.
            #expect(drain.load.beginRequest(atMost: 1))
            clock.advance(by: .milliseconds(300))
            let refused = try await live
            #expect(refused.status == 503 && refused.json["code"] as? String == "overloaded")
            drain.load.endRequest()
        }
    }

    /// Two apps, or two households, may choose the same session id. In one session, a late keystroke is superseded.
    @Test func sameSessionIDOfTwoCallersIsTwoSessions() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let keys = [try await store.newKey([.read]), try await store.newKey([.read])]
        try await withServer(registry, keys: store, configure: { $0.trustedProxies = $0.neighbours }) { _, anonymous in
            func ask(_ client: HTTPClient, _ seq: Int, from address: String) async throws -> Int {
                let path = "/v1/availability/live?handle=johndoe&session=1&seq=\(seq)"
                let answer = try await client.send("GET", path, headers: ["X-Forwarded-For": address])
                return answer.status
            }
            let apps = keys.map { HTTPClient(port: anonymous.port, key: $0.text) }
            let statuses = [
                try await ask(apps[0], 2, from: "192.0.2.1"), try await ask(apps[1], 1, from: "192.0.2.1"),
                try await ask(anonymous, 5, from: "192.0.2.1"), try await ask(anonymous, 4, from: "192.0.2.2"),
                try await ask(anonymous, 4, from: "192.0.2.1"), try await ask(anonymous, 5, from: "192.0.2.1"),
            ]
            #expect(statuses == [200, 200, 200, 200, 409, 200])
        }
    }

    @Test(arguments: [
        ("handle=johndoe&session=a", "missing_parameter"), ("handle=johndoe&seq=1", "missing_parameter"),
        ("session=a&seq=1", "missing_parameter"), ("handle=johndoe&session=&seq=1", "invalid_parameter"),
        ("handle=johndoe&session=a%20b&seq=1", "invalid_parameter"),
        ("handle=johndoe&session=a&seq=-1", "invalid_parameter"),
        ("handle=johndoe&session=a&seq=99999999999999999999", "invalid_parameter"),
        ("handle=johndoe&session=a&seq=one", "invalid_parameter"),
    ])
    func liveCallWithAnInvalidQueryGets400(_ query: String, _ code: String) async throws {
        try await withServer { _, anonymous in
            let answer = try await anonymous.send("GET", "/v1/availability/live?\(query)")
            #expect(answer.status == 400 && answer.json["code"] as? String == code)
        }
    }
}
