import HandleRegistry

/// The text form of a rate: `300/5m`.
enum RateText {
    /// - Throws: ``CommandFault`` that names the option or setting and its format.
    static func parse(_ text: String, _ name: String) throws -> Rate {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let quota = Int(parts[0]),
            let time = DurationText.read(String(parts[1])), time.components.attoseconds == 0,
            let rate = Rate(quota, perSeconds: Int(time.components.seconds))
        else {
            throw CommandFault(
                .usage, "\(name) is '\(text.printable)'; it is a number and a time of whole seconds, such as 300/5m")
        }
        return rate
    }

    static func text(_ rate: Rate) -> String { "\(rate.quota)/\(DurationText.text(.seconds(rate.seconds)))" }
}

/// The text form of a duration: `300ms`, `90s`, `10m`, `24h` or `30d`.
enum DurationText {
    private static let units: [(name: String, milliseconds: Int)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// Nil for an invalid text.
    static func read(_ text: String) -> Duration? {
        guard let (suffix, unit) = units.first(where: { text.hasSuffix($0.name) }),
            let count = Int(text.dropLast(suffix.count)), (0...1_000_000).contains(count)
        else { return nil }
        return .milliseconds(unit * count)
    }

    /// Uses the largest unit that gives a whole number.
    static func text(_ duration: Duration) -> String {
        // Dividing durations would round: 2365 s would be less than 2365 times 1 s.
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        guard
            let unit = units.last(where: {
                milliseconds >= $0.milliseconds && milliseconds.isMultiple(of: $0.milliseconds)
            })
        else { return "0s" }
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}
