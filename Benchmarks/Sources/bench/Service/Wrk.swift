import Foundation

/// One run of wrk, the load generator.
struct Wrk {
    /// The result of a run.
    struct Result {
        let requestsPerSecond: Double
        /// In microseconds.
        let p50: Double
        let p99: Double
        /// Responses with a status of 400 and more, and requests without a response.
        let refused: Int
        let failed: Int

        static func mean(_ first: Result, _ second: Result) -> Result {
            Result(
                requestsPerSecond: (first.requestsPerSecond + second.requestsPerSecond) / 2,
                p50: (first.p50 + second.p50) / 2, p99: (first.p99 + second.p99) / 2,
                refused: first.refused + second.refused, failed: first.failed + second.failed)
        }
    }

    let port: Int
    let folder: String
    var connections = 64
    var seconds = 5

    /// Each thread sends the requests in order, starting at a random one.
    private static let script = """
        local requests, index = {}, 0
        function init(args)
            local file = io.open(args[1])
            for line in file:lines() do
                local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
                if body == "" then body = nil end
                requests[#requests + 1] = wrk.format(method, path, nil, body)
            end
            file:close()
            math.randomseed(tonumber(tostring(requests):match("0x(%x+)"), 16) % 2147483647)
            index = math.random(#requests)
        end
        function request()
            index = index % #requests + 1
            return requests[index]
        end
        function done(summary, latency)
            local errors = summary.errors
            print(string.format("RESULT %d %d %f %f %d %d", summary.requests, summary.duration, latency:percentile(50),
                latency:percentile(99), errors.status, errors.connect + errors.read + errors.write + errors.timeout))
        end
        """

    /// - Parameter requests: each as `METHOD PATH [BODY]`.
    func run(_ requests: [String], key: String? = nil) throws -> Result {
        let list = "\(folder)/requests.txt"
        let script = "\(folder)/wrk.lua"
        try requests.joined(separator: "\n").write(toFile: list, atomically: true, encoding: .utf8)
        try Self.script.write(toFile: script, atomically: true, encoding: .utf8)
        let output = try Program.run(
            "wrk",
            ["-t", "2", "-c", "\(connections)", "-d", "\(seconds)s", "--timeout", "10s", "-s", script]
                + (key.map { ["-H", "Authorization: Bearer \($0)"] } ?? [])
                + ["http://127.0.0.1:\(port)", "--", list])
        guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("RESULT ") }) else {
            throw Program.Failure(description: "wrk said: \(output)")
        }
        let numbers = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        return Result(
            requestsPerSecond: numbers[0] / (numbers[1] / 1_000_000), p50: numbers[2], p99: numbers[3],
            refused: Int(numbers[4]), failed: Int(numbers[5]))
    }
}
