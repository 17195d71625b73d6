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
            async let drained: Void = gate.drain(notice: .seconds(1))
            while !gate.isDraining { try await Task.sleep(for: .milliseconds(5)) }
            let (ready, alive, check) = (
                try await client.send("GET", "/readyz"), try await client.send("GET", "/livez"),
                try await anonymous.send(
                    raw: Array("GET /v1/availability?handle=johndoe HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            )
            #expect(ready.status == 503 && ready.json["code"] as? String == "draining")
            #expect(alive.status == 200)
            // The caller did not ask for it, and is asked to come back on another connection.
            #expect(check.status == 200 && check.headers["connection"] == "close")
            try await drained
            #expect(throws: (any Error).self) { try connect(to: client.port, within: 0.3) }
        }
    }

    private struct NotConnected: Error {}

    private func connect(to port: Int, within seconds: Double) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 0, tv_usec: __suseconds_t(seconds * 1_000_000))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw NotConnected() }
    }
}
