import Foundation
import HandleServer
import TestSupport
import Testing

/// Request ids, traces and metrics.
@Suite struct ObservingTests {
    @Test func eachRequestGetsAnID() async throws {
        try await withServer { client, anonymous in
            let (first, second) = (try await client.send("GET", "/livez"), try await client.send("GET", "/nowhere"))
            let ids = [first, second].compactMap { $0.headers["x-request-id"] }
            #expect(Set(ids).count == 2)
            for id in ids { #expect(id.count == 32 && id.allSatisfy(\.isHexDigit)) }
            let named = try await anonymous.send("GET", "/livez", headers: ["X-Request-Id": "shop-4711"])
            #expect(named.headers["x-request-id"] == "shop-4711")
            let rubbish = try await anonymous.send("GET", "/livez", headers: ["X-Request-Id": "two words"])
            #expect(rubbish.headers["x-request-id"]?.count == 32)
        }
    }

    @Test func answerContinuesTheTraceOfTheRequest() async throws {
        let (trace, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
        try await withServer { client, _ in
            let answer = try await client.send("GET", "/livez", headers: ["traceparent": "00-\(trace)-\(parent)-01"])
            let parts = try #require(answer.headers["traceparent"]).split(separator: "-")
            #expect(parts.count == 4 && parts[0] == "00" && parts[1] == trace && parts[3] == "01")
            #expect(parts[2] != parent && parts[2].count == 16)
            for rubbish in [
                "", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-01-02", "ff-\(trace)-\(parent)-01",
                "00-\(String(repeating: "0", count: 32))-\(parent)-01",
                "00-\(trace)-\(String(repeating: "0", count: 16))-01",
                "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent)-1",
            ] {
                let answer = try await client.send("GET", "/livez", headers: ["traceparent": rubbish])
                #expect(answer.status == 200 && answer.headers["traceparent"] == nil)
            }
            let later = try await client.send(
                "GET", "/livez", headers: ["traceparent": "01-\(trace)-\(parent)-01-more"])
            #expect(later.headers["traceparent"]?.hasPrefix("00-\(trace)-") == true)
        }
    }

    @Test func metricsCountRequestsAndContainNoNamesOrOwners() async throws {
        try await withServer { client, anonymous in
            _ = try await client.send("PUT", "/v1/handles/VeryRareName", #"{"owner":"secret-owner"}"#)
            for handle in ["veryrarename", "freeandrare", "x"] {
                _ = try await anonymous.send("GET", "/v1/availability?handle=\(handle)")
            }
            _ = try await anonymous.send("GET", "/veryrarename")
            _ = try await anonymous.send("BREW", "/livez")
            let answer = try await client.send("GET", "/metrics")
            #expect(answer.status == 200)
            let lines = answer.body.split(separator: "\n")
            for line in [
                #"handles_request_duration_seconds_count{method="GET",route="/v1/availability",status="200"} 3"#,
                #"handles_request_duration_seconds_count{method="PUT",route="/v1/handles/{handle}",status="201"} 1"#,
                #"handles_request_duration_seconds_count{method="GET",route="NotFound",status="404"} 1"#,
                #"handles_decisions_total{outcome="available"} 1"#, #"handles_decisions_total{outcome="taken"} 1"#,
                #"handles_decisions_total{outcome="too_short"} 1"#, "handles_draining 0", "handles_pool_waiting 0",
            ] { #expect(lines.contains(Substring(line)), "\(line)") }
            #expect(lines.contains { $0.hasPrefix("handles_reserved_words ") })
            let words = answer.body.lowercased()
            #expect(!words.contains("veryrarename") && !words.contains("secret-owner") && !words.contains("brew"))
            try expectPrometheus(answer.body)
        }
    }

    /// Reads the metrics as Prometheus does: each has a type, buckets only grow, and the last bucket is the count.
    private func expectPrometheus(_ text: String) throws {
        var (types, buckets): ([Substring: Substring], [String: [Double]]) = ([:], [:])
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# TYPE ") {
                let parts = line.split(separator: " ")
                #expect(types.updateValue(parts[3], forKey: parts[2]) == nil)
            }
            guard !line.hasPrefix("#") else { continue }
            let match = try #require(
                try /([a-z_]+)(\{[^}]*(?:\{[a-z]+\}[^}]*)*\})? (\S+)/.wholeMatch(in: line), "\(line)")
            let value = try #require(Double(match.3))
            let name = match.1
            let family = ["_bucket", "_sum", "_count"].reduce(name) { family, suffix in
                types[family] == nil && family.hasSuffix(suffix) ? family.dropLast(suffix.count) : family
            }
            #expect(types[family] != nil, "\(line)")
            let labels = match.2.map(String.init) ?? ""
            if name.hasSuffix("_bucket") {
                buckets[labels.components(separatedBy: ",le=")[0], default: []].append(value)
            } else if name.hasSuffix("_count") {
                #expect(buckets[String(labels.dropLast())]?.last == value)
            }
        }
        #expect(!buckets.isEmpty)
        for counts in buckets.values { #expect(counts == counts.sorted() && counts.count == 16) }
    }
}
