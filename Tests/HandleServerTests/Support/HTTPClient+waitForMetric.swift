import TestSupport

extension HTTPClient {
    /// Waits until the metrics of the service have a line.
    func waitForMetric(_ line: String) async throws {
        try await eventually(line) { try await send("GET", "/metrics").body.contains("\n\(line)\n") }
    }
}
