import HandleRegistry

/// A rate as people write it: `300/5m`.
enum RateText {
    /// - Throws: ``CommandFault`` that names the option or setting and says what it is.
    static func parse(_ text: String, _ name: String) throws -> Rate {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let quota = Int(parts[0]),
            let time = DurationText.read(String(parts[1])),
            let rate = Rate(quota, perSeconds: Int(time / .seconds(1))), time >= .seconds(1)
        else {
            throw CommandFault(
                .usage, "\(name) is '\(text.printable)'; it is a number and a time of a second or more, such as 300/5m")
        }
        return rate
    }

    static func text(_ rate: Rate) -> String { "\(rate.quota)/\(DurationText.text(.seconds(rate.seconds)))" }
}

/// A time as people write it: `300ms`, `90s`, `10m`, `24h` or `30d`.
enum DurationText {
    private static let units: [(name: String, length: Duration)] = [
        ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)),
        ("d", .seconds(86400)),
    ]

    /// Nil when it is none.
    static func read(_ text: String) -> Duration? {
        guard let (suffix, unit) = units.first(where: { text.hasSuffix($0.name) }),
            let count = Int(text.dropLast(suffix.count)), (0...1_000_000).contains(count)
        else { return nil }
        return unit * count
    }

    /// In the largest unit in which it is a whole number.
    static func text(_ duration: Duration) -> String {
        guard
            let unit = units.last(where: {
                duration >= $0.length && duration / $0.length == (duration / $0.length).rounded()
            })
        else { return "0s" }
        return "\(Int(duration / unit.length))\(unit.name)"
    }
}
