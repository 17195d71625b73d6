import Foundation

/// The results of all rounds as a table of ratios. They are medians, because machines are noisy.
struct BenchReport {
    private struct Line {
        var requests: [Double] = []
        var ratios: [Double] = []
        var p50: [Double] = []
        var p99: [Double] = []
        var p99Ratios: [Double] = []
        var queries: [Double] = []
        var refused = 0
        var failed = 0
        var names = 1
    }

    let machine: String
    let options: ServiceBench.Options
    var memory = (now: 0, most: 0)
    private var labels: [String] = []
    private var lines: [String: Line] = [:]

    init(machine: String, options: ServiceBench.Options) {
        self.machine = machine
        self.options = options
    }

    mutating func add(
        _ label: String, _ result: Wrk.Result, over empty: Wrk.Result, namesPerRequest: Int = 1,
        queriesPerRequest: Double? = nil
    ) {
        if lines[label] == nil { labels.append(label) }
        var line = lines[label] ?? Line()
        line.requests.append(result.requestsPerSecond)
        line.ratios.append(result.requestsPerSecond / empty.requestsPerSecond)
        line.p50.append(result.p50)
        line.p99.append(result.p99)
        line.p99Ratios.append(result.p99 / empty.p99)
        if let queriesPerRequest { line.queries.append(queriesPerRequest) }
        line.refused += result.refused
        line.failed += result.failed
        line.names = namesPerRequest
        lines[label] = line
        print("  \(label): \(Int(result.requestsPerSecond)) requests/s, p99 \(Int(result.p99)) µs")
    }

    mutating func add(empty result: Wrk.Result) { add("empty route (`GET /livez`)", result, over: result) }

    /// Adds the rate of the database alone.
    mutating func add(rows perSecond: Double, over empty: Wrk.Result) {
        let label = "`pgbench`, one-row look-ups"
        if lines[label] == nil { labels.append(label) }
        lines[label, default: Line()].requests.append(perSecond)
        lines[label, default: Line()].ratios.append(perSecond / empty.requestsPerSecond)
        print("  \(label): \(Int(perSecond)) rows/s")
    }

    var markdown: String {
        var text = """
            # Benchmarks

            `make bench` writes this file. It runs the real program over a PostgreSQL of its own with \(options.names)
            claimed names. `wrk` sends the HTTP requests over \(ServiceBench.connections) connections. The program, the
            database and `wrk` share one machine. There are \(options.rounds) rounds of \(options.seconds) s each; the
            figures are medians. Compare the ratios: the empty route, measured before and after each call, is 1.00.

            \(machine)

            | call | ratio | a second | p50 | p99 | p99 to empty | look-up statements a request | refused, failed |
            |---|---|---|---|---|---|---|---|

            """
        for label in labels { text += row(label) + "\n" }
        text += "\nMemory of the service: \(memory.now) MiB at the end, \(memory.most) MiB at most.\n"
        return text
    }

    private func row(_ label: String) -> String {
        guard let line = lines[label] else { return "" }
        let requests = line.requests.median
        let rate = line.names == 1 ? "\(Int(requests))" : "\(Int(requests)) (\(Int(requests) * line.names) names)"
        func milliseconds(_ values: [Double]) -> String {
            values.isEmpty ? "" : String(format: "%.2f ms", values.median / 1000)
        }
        let cells = [
            label, String(format: "%.2f", line.ratios.median), rate, milliseconds(line.p50), milliseconds(line.p99),
            line.p99Ratios.isEmpty ? "" : String(format: "%.1f", line.p99Ratios.median),
            line.queries.isEmpty ? "" : String(format: "%.3f", line.queries.median),
            line.p50.isEmpty ? "" : "\(line.refused), \(line.failed)",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}

/// The machine of the measurement.
enum Machine {
    static var description: String {
        let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
        let processInfo = ProcessInfo.processInfo
        let postgres = (try? Program.run("psql", ["--version"]))?.trimmingCharacters(in: .whitespacesAndNewlines)
        let memory = processInfo.physicalMemory >> 30
        return "Machine: \(cpu ?? "unknown processor"), \(processInfo.activeProcessorCount) cores, \(memory) GiB; "
            + "\(postgres ?? "PostgreSQL"), \(processInfo.operatingSystemVersionString)."
    }
}
