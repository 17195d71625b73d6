import Foundation
import TestService
import TestSupport
import Testing

@Suite struct HintsServiceTests {
    @Test func hintsAreFilledAtTheStartUnlessTheyAreOff() async throws {
        let folder = TemporaryFolder.make("hints")
        let key = ["HANDLES_ADMIN_KEY": "first-key-0123456789"]
        var service = try await Service(in: folder, key)
        #expect(try await service.client.send("PUT", "/v1/handles/JohnDoe", #"{"owner":"one"}"#).status == 201)
        #expect(await service.end(SIGTERM) == 0)
        service = try await Service(in: folder, key)
        func metrics() async throws -> [Substring] {
            try await service.client.send("GET", "/metrics").body.split(separator: "\n").filter {
                $0.hasPrefix("handles_hints_")
            }
        }
        try await eventually("the hints are filled") { try await !metrics().contains("handles_hints_bytes 0") }
        #expect(try await service.client.send("GET", "/v1/availability?handle=johndoe").status == 200)
        #expect(try await metrics().contains(#"handles_hints_total{hint="in_use",answer="in_use"} 1"#))
        #expect(await service.end(SIGTERM) == 0)
        service = try await Service(in: folder, key.merging(["HANDLES_HINTS_BYTES": "0"]) { $1 })
        #expect(try await service.client.send("GET", "/v1/availability?handle=johndoe").status == 200)
        #expect(try await metrics().contains("handles_hints_bytes 0"))
        #expect(try await metrics().contains(#"handles_hints_total{hint="free",answer="in_use"} 0"#))
        #expect(await service.end(SIGTERM) == 0)
    }
}
