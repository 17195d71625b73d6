import Glibc
import HandleRegistry
import NameFiles

/// A progress bar in the last line of the terminal. Shows nothing if the standard error is not a terminal that can write
/// a line again.
struct ProgressBar {
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var nextUpdate: ContinuousClock.Instant
    private var hasShown = false

    /// Update interval. Work that ends before the first update shows no bar.
    private static let pause = Duration.milliseconds(250)

    init(isShown: Bool) {
        self.isShown = isShown && !Terminal.isPlain && isatty(STDERR_FILENO) == 1
        nextUpdate = .now + Self.pause
    }

    mutating func show(_ progress: Progress) {
        guard isShown, .now >= nextUpdate, let width = Terminal.width(of: STDERR_FILENO) else { return }
        nextUpdate = .now + Self.pause
        hasShown = true
        // The last column stays empty: after it, some terminals begin a new line.
        let line = Self.line(progress, after: (ContinuousClock.now - start) / .seconds(1), width: width - 1)
        Output.terminal("\r\u{1B}[K" + line)
    }

    private static let barWidth = 20

    /// The line, without some of its parts if it would be wider than `width`.
    static func line(_ progress: Progress, after seconds: Double, width: Int) -> String {
        let rows = "\(progress.rows.grouped) rows"
        let all = "\(rows), \(Int(Double(progress.rows) / seconds).grouped) a second"
        var forms = [all, rows]
        if let size = progress.size, size > 0, progress.position > 0 {
            let share = min(1, Double(progress.position) / Double(size))
            let filled = Int(share * Double(barWidth))
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: barWidth - filled)
            let percent = "\(Int(share * 100)) %"
            let left = "\(time(seconds / share - seconds)) left"
            forms = [
                "\(bar) \(percent)  \(all), \(left)", "\(percent)  \(all), \(left)", "\(percent)  \(left)", percent,
            ]
        }
        return forms.first { $0.count <= width } ?? ""
    }

    /// `50 s`, `40 min` or `1 h 5 min`.
    private static func time(_ seconds: Double) -> String {
        let seconds = Int(seconds.rounded(.up))
        let minutes = (seconds + 59) / 60
        if seconds < 60 { return "\(seconds) s" }
        return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    }

    /// Removes the bar, so that other text can follow.
    mutating func clear() {
        if hasShown { Output.terminal("\r\u{1B}[K") }
        hasShown = false
    }
}
