import Foundation
import Glibc

/// What is known of the terminal at the standard output, if there is one.
enum Terminal {
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }
    static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// What a terminal that does not say most likely has.
    private static let usualWidth = 80

    /// How many characters fit into a line; nil where the output is no terminal, and lines may have any length.
    static var width: Int? {
        guard isOutput else { return nil }
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 0
        return columns > 0 ? columns : usualWidth
    }
}
