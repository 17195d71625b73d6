import Foundation
import Glibc

/// Properties of the terminal.
enum Terminal {
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }
    static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Default for a terminal that does not report its width.
    private static let usualWidth = 80

    /// Characters in a line; nil if the output is not a terminal and lines may have any length.
    static var width: Int? {
        guard isOutput else { return nil }
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 0
        return columns > 0 ? columns : usualWidth
    }
}
