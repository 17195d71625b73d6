import Foundation
import TestService
import TestSupport
import Testing

/// The service's request log: one line a request if the log level asks for it, without names, owners or keys.
@Suite struct LogTests {
    @Test func logLinesAreJSONObjectsWithoutNamesOrSecrets() async throws {
        let variables = ["HANDLES_LOG": "json", "HANDLES_LOG_LEVEL": "info", "HANDLES_ADMIN_KEY": "0123456789abcdef"]
        let service = try await Service(in: TemporaryFolder.make("log"), variables)
        let client = HTTPClient(port: service.client.port, key: "0123456789abcdef")
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        _ = try await client.send(
            "PUT", "/v1/handles/VeryRareName", #"{"owner":"secret-owner"}"#,
            headers: ["X-Request-Id": "shop-1", "traceparent": "00-\(trace)-00f067aa0ba902b7-01"])
        _ = try await client.send("POST", "/v1/holds", #"{"handle":"otherrarename","owner":"secret-owner"}"#)
        _ = try await client.send("GET", "/v1/availability?handle=veryrarename&name=Secret%20Person")
        #expect(await service.end(SIGTERM) == 0)
        let log = try String(contentsOfFile: service.words, encoding: .utf8)
        let lines = log.split(separator: "\n").filter { $0.hasPrefix("{") }
        let objects = lines.compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: String]
        }
        #expect(objects.count == lines.count && objects.count >= 3)
        for object in objects {
            #expect(object["level"] != nil && object["message"] != nil)
            #expect(object["time"]?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
        }
        let claim = try #require(objects.first { $0["request_id"] == "shop-1" })
        #expect(claim["route"] == "/v1/handles/{handle}" && claim["method"] == "PUT" && claim["status"] == "201")
        #expect(claim["trace_id"] == trace && claim["parent_id"] == "00f067aa0ba902b7" && claim["span_id"]?.count == 16)
        #expect(Double(claim["ms"] ?? "") != nil)
        let logged = lines.joined().lowercased()
        for secret in ["rarename", "secret", "0123456789abcdef", "hdh_"] { #expect(!logged.contains(secret)) }
    }
}
