/// Writes figures in Prometheus' text format, version 0.0.4.
struct PrometheusText {
    private(set) var text = ""

    enum Kind: String { case counter, gauge }

    /// One figure; nothing when it is not known.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
        guard let value else { return }
        add(name, kind, help, [("", value)])
    }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        add(name, kind, help, Double(value))
    }

    /// The same figure for several values of a label: `server="primary"`.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ values: [(label: String, value: Double)]) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for (label, value) in values {
            let number = value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : String(value)
            text += name + (label.isEmpty ? "" : "{\(label)}") + " \(number)\n"
        }
    }
}
