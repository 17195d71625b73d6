import Glibc

/// Asks the person at the terminal before something is taken from somebody.
struct Confirmation {
    /// Whether it was said beforehand, with `--yes`.
    let isGiven: Bool

    /// How long to wait for an answer before a look at whether the command was ended meanwhile.
    private static let pause = Duration.milliseconds(50)

    /// Returns when the answer is yes.
    /// - Parameters:
    ///   - question: shown with `[y/N]` behind it.
    ///   - consequence: what would be done, for whoever can't be asked.
    /// - Throws: ``CommandFault``: exit status 1 when the answer is no, which an empty one is and the end of the input
    ///   too; 64 when there is no terminal to ask at; `CancellationError` at Ctrl-C. Nothing was changed then.
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
        // Asked again and again: Ctrl-C would not end a thread that waits in `read`.
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
