/// Writes metrics in the Prometheus text format, version 0.0.4.
struct PrometheusText {
    private(set) var text = ""

    enum Kind: String { case counter, gauge }

    /// Adds a metric; nothing when its value is not known.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
        guard let value else { return }
        add(name, kind, help, [("", value)])
    }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        add(name, kind, help, Double(value))
    }

    /// Adds a metric with a value for each label, such as `server="primary"`.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ values: [(label: String, value: Double)]) {
        begin(name, kind.rawValue, help)
        for (label, value) in values { line(name, label, value) }
    }

    /// Adds histograms of durations in seconds, labelled by the kind of request.
    mutating func add(_ name: String, _ help: String, _ histograms: [(RequestMetrics.Kind, RequestMetrics.Histogram)]) {
        begin(name, "histogram", help)
        for (kind, histogram) in histograms {
            let labels = "method=\"\(kind.method)\",route=\"\(kind.route)\",status=\"\(kind.status)\""
            var count = 0
            for (bound, more) in zip(RequestMetrics.bounds, histogram.counts) {
                count += more
                line("\(name)_bucket", "\(labels),le=\"\(bound / 1000)\"", Double(count))
            }
            count += histogram.counts.last ?? 0
            line("\(name)_bucket", "\(labels),le=\"+Inf\"", Double(count))
            line("\(name)_sum", labels, histogram.sum / .seconds(1))
            line("\(name)_count", labels, Double(count))
        }
    }

    private mutating func begin(_ name: String, _ kind: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }

    private mutating func line(_ name: String, _ labels: String, _ value: Double) {
        let number = value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : String(value)
        text += name + (labels.isEmpty ? "" : "{\(labels)}") + " \(number)\n"
    }
}
