import Foundation
import Glibc

/// Properties of the terminal.
enum Terminal {
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }
    static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether the terminal can do no more than write lines: it is dumb, or of no known kind.
    static var isPlain: Bool { ["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM"] ?? "") }

    /// Default for a terminal that does not report its width.
    private static let usualWidth = 80

    /// Characters in a line; nil if the output is not a terminal and lines may have any length.
    static func width(of output: Int32 = STDOUT_FILENO) -> Int? {
        guard isatty(output) == 1 else { return nil }
        var size = winsize()
        if ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 0
        return columns > 0 ? columns : usualWidth
    }
}
