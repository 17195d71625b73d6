import Foundation
import TestService
import TestSupport
import Testing

/// The service's request log: one line a request if the log level asks for it, without names, owners or keys.
@Suite struct LogTests {
    @Test func logLinesAreJSONObjectsWithoutNamesOrSecrets() async throws {
        let variables = ["HANDLES_LOG": "json", "HANDLES_LOG_LEVEL": "info", "HANDLES_ADMIN_KEY": "0123456789abcdef"]
        let service = try await Service(in: TemporaryFolder.make("log"), variables)
        let client = service.client
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        _ = try await client.send(
            "PUT", "/v1/handles/VeryRareName", #"{"owner":"secret-owner"}"#,
            headers: ["X-Request-Id": "shop-1", "traceparent": "00-\(trace)-00f067aa0ba902b7-01"])
        _ = try await client.send("POST", "/v1/holds", #"{"handle":"otherrarename","owner":"secret-owner"}"#)
        _ = try await client.send("GET", "/v1/availability?handle=veryrarename&name=Secret%20Person")
        #expect(await service.end(SIGTERM) == 0)
        let log = try String(contentsOfFile: service.words, encoding: .utf8)
        let lines = log.split(separator: "\n")
        let objects = lines.compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
        // Each line is an object, from the first one, about the address, to the last one.
        #expect(objects.count == lines.count && objects.count >= 5, "\(log)")
        for object in objects {
            #expect(object["level"] is String && object["message"] is String)
            let time = object["time"] as? String
            #expect(time?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
        }
        let first = try #require(
            objects.first { ($0["message"] as? String)?.contains("is listening on http:") == true })
        #expect(first["port"] as? Int == service.client.port && first["key"] as? String == "as configured")
        #expect(objects.last?["message"] as? String == "stopped")
        let claim = try #require(objects.first { $0["request_id"] as? String == "shop-1" })
        let texts = claim.compactMapValues { $0 as? String }
        #expect(texts["route"] == "/v1/handles/{handle}" && texts["method"] == "PUT" && texts["trace_id"] == trace)
        #expect(texts["parent_id"] == "00f067aa0ba902b7" && texts["span_id"]?.count == 16)
        // Numbers are numbers.
        #expect(claim["status"] as? Int == 201 && claim["ms"] as? Double != nil)
        let logged = lines.joined().lowercased()
        for secret in ["rarename", "secret", "0123456789abcdef", "hdh_"] { #expect(!logged.contains(secret)) }
    }

    /// The key that the program made is in a file, because the log may be kept elsewhere.
    @Test func messagesOfStartAndFaultsAreJSONWithoutTheKey() async throws {
        let folder = TemporaryFolder.make("log")
        let service = try await Service(in: folder, ["HANDLES_LOG": "json", "HANDLES_LOG_LEVEL": "error"])
        let second = try await Program.run(["serve"], in: folder, ["HANDLES_LOG": "json"])
        #expect(second.status == 69)
        let wrong = try await Program.run(["serve"], in: folder, ["HANDLES_LOG": "json", "HANDLES_PORT": "many"])
        #expect(wrong.status == 64)
        #expect(await service.end(SIGTERM) == 0)
        let log = try String(contentsOfFile: service.words, encoding: .utf8)
        #expect(log.contains("in the file .handles") && !log.contains("hdl_"))
        for line in (log + second.words + wrong.words).split(separator: "\n") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["time"] is String && object?["level"] is String && object?["message"] is String, "\(line)")
        }
        #expect(wrong.words.contains("HANDLES_PORT") && wrong.words.contains("\"error\""))
    }
}
