import Glibc
import HandleRegistry
import NameFiles

/// A progress bar in the last line of the terminal. Shows nothing if the standard error is not a terminal.
struct ProgressBar {
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var nextUpdate: ContinuousClock.Instant
    private var hasShown = false

    /// Update interval. Work that ends before the first update shows no bar.
    private static let pause = Duration.milliseconds(250)

    init(isShown: Bool) {
        self.isShown = isShown && isatty(STDERR_FILENO) == 1
        nextUpdate = .now + Self.pause
    }

    mutating func show(_ progress: Progress) {
        guard isShown, .now >= nextUpdate else { return }
        nextUpdate = .now + Self.pause
        hasShown = true
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        var line = "\(progress.rows.grouped) rows, \(Int(Double(progress.rows) / seconds).grouped) a second"
        if let size = progress.size, size > 0, progress.position > 0 {
            let share = min(1, Double(progress.position) / Double(size))
            let left = Int((seconds / share - seconds).rounded(.up))
            let filled = Int(share * Double(Self.width))
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
            line = "\(bar) \(Int(share * 100)) %  \(line), \(left) s left"
        }
        Output.terminal("\r\u{1B}[K" + line)
    }

    private static let width = 20

    /// Removes the bar, so that other text can follow.
    mutating func clear() {
        if hasShown { Output.terminal("\r\u{1B}[K") }
        hasShown = false
    }
}

extension Int {
    /// The digits in groups of three: `1,234,567`.
    var grouped: String {
        let digits = String(self)
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset) % 3 == 0 { text.append(",") }
            text.append(digit.element)
        }
    }
}
