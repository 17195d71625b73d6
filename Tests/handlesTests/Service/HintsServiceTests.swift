import Foundation
import TestService
import TestSupport
import Testing

@Suite struct HintsServiceTests {
    @Test func hintsAreFilledAtTheStartUnlessTheyAreOff() async throws {
        let folder = TemporaryFolder.make("hints")
        let key = ["HANDLES_ADMIN_KEY": "first-key-0123456789"]
        func start(_ variables: [String: String] = [:]) async throws -> (Service, HTTPClient) {
            let service = try await Service(in: folder, key.merging(variables) { $1 })
            return (service, HTTPClient(port: service.client.port, key: key["HANDLES_ADMIN_KEY"]))
        }
        var (service, client) = try await start()
        #expect(try await client.send("PUT", "/v1/handles/JohnDoe", #"{"owner":"one"}"#).status == 201)
        #expect(await service.end(SIGTERM) == 0)
        (service, client) = try await start()
        func metrics() async throws -> [Substring] {
            try await client.send("GET", "/metrics").body.split(separator: "\n").filter {
                $0.hasPrefix("handles_hints_")
            }
        }
        try await eventually("the hints are filled") { try await !metrics().contains("handles_hints_bytes 0") }
        #expect(try await client.send("GET", "/v1/availability?handle=johndoe").status == 200)
        #expect(try await metrics().contains(#"handles_hints_total{hint="in_use",answer="in_use"} 1"#))
        #expect(await service.end(SIGTERM) == 0)
        (service, client) = try await start(["HANDLES_HINTS_BYTES": "0"])
        #expect(try await client.send("GET", "/v1/availability?handle=johndoe").status == 200)
        #expect(try await metrics().contains("handles_hints_bytes 0"))
        #expect(try await metrics().contains(#"handles_hints_total{hint="free",answer="in_use"} 0"#))
        #expect(await service.end(SIGTERM) == 0)
    }
}
