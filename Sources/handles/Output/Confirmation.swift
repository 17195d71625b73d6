import Glibc

/// Asks the user at the terminal to confirm a change that affects owners or their names.
struct Confirmation {
    /// Whether `--yes` was given.
    let isGiven: Bool

    /// Interval at which the wait for an answer checks for cancellation.
    private static let pause = Duration.milliseconds(50)

    /// Returns when the answer is yes.
    /// - Parameters:
    ///   - question: shown with `[y/N]` after it.
    ///   - consequence: what the command would do; part of the error message without a terminal.
    /// - Throws: ``CommandFault``: exit status 1 when the answer is no, also for an empty line or EOF; 64 without a
    ///   terminal. `CancellationError` at Ctrl-C. Nothing was changed then.
    func ask(_ question: String, _ consequence: String) async throws {
        if isGiven { return }
        guard Terminal.isInput else {
            throw CommandFault(.usage, "\(consequence): confirm with --yes, as there is no terminal")
        }
        Output.terminal(question + " [y/N] ")
        do {
            if ["y", "yes"].contains(try await answer()) { return }
        } catch {
            Output.note("\nnothing was changed")
            throw error
        }
        Output.note("nothing was changed")
        throw CommandFault.refused
    }

    /// A line of the standard input, in lowercase.
    private func answer() async throws -> String {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // Polled, because Ctrl-C would not interrupt a thread that blocks in `read`.
        while poll(&input, 1, 0) == 0 { try await Task.sleep(for: Self.pause) }
        var line = [UInt8](repeating: 0, count: 256)
        let count = line.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
        guard count > 0 else {
            Output.note("")
            return ""
        }
        return String(decoding: line[..<count], as: UTF8.self).trimmed.lowercased()
    }
}
