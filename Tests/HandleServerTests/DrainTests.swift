import Foundation
import HandleServer
import TestSupport
import Testing

@Suite struct DrainTests {
    @Test func tellsOthersFirstAndThenTakesNobodyElse() async throws {
        let gate = Gate()
        try await withServer(gate: gate) { client, anonymous in
            let before = try await client.send("GET", "/readyz")
            #expect(before.status == 200)
            let clock = ManualClock()
            async let drained: Void = gate.drain(notice: .seconds(3), clock: clock)
            while clock.sleepers == 0 { try await Task.sleep(for: .milliseconds(5)) }
            let (ready, alive, check) = (
                try await client.send("GET", "/readyz"), try await client.send("GET", "/livez"),
                try await anonymous.send(
                    raw: Array("GET /v1/availability?handle=johndoe HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            )
            #expect(ready.status == 503 && ready.json["code"] as? String == "draining")
            #expect(alive.status == 200)
            // The caller did not ask for it, and is asked to come back on another connection.
            #expect(check.status == 200 && check.headers["connection"] == "close")
            clock.advance(by: .seconds(3))
            try await drained
            #expect(throws: (any Error).self) { close(try client.connect(within: 0.3)) }
        }
    }
}
