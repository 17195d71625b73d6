import Foundation
import Subprocess
import SystemPackage
import TestService

/// Runs the program at a pseudo-terminal, which a small Python script provides.
enum Terminal {
    /// Runs the program to its end.
    /// - Parameters:
    ///   - columns: the width that the terminal reports; 0 when it reports none.
    ///   - answer: the text that is typed when the terminal shows `question`.
    /// - Returns: all output shown at the terminal, and the exit status.
    static func run(
        _ arguments: [String], in folder: String, _ variables: [String: String] = [:], columns: Int = 80,
        question: String = "[y/N] ", answer: String = ""
    ) async throws -> Program.Result {
        var environment = Program.inherited.merging(["TERM": "xterm"]) { $1 }
        environment.merge(variables) { $1 }
        let all = environment.map { (Subprocess.Environment.Key(stringLiteral: $0), $1) }
        let result = try await Subprocess.run(
            .name("python3"),
            arguments: .init(["-c", script, "\(columns)", question, answer, Program.path] + arguments),
            environment: .custom(Dictionary(all) { $1 }), workingDirectory: .init(folder), input: .none,
            output: .string(limit: 1 << 22), error: .string(limit: 1 << 20))
        guard case .exited(let status) = result.terminationStatus else {
            return Program.Result(status: -1, output: "", words: "\(result.terminationStatus)")
        }
        return Program.Result(
            status: Int(status), output: result.standardOutput.replacing("\r\n", with: "\n"),
            words: result.standardError)
    }

    private static let script = """
        import fcntl, os, struct, sys, termios
        columns, question, answer = int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3].encode()
        master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24 if columns else 0, columns, 0, 0))
        child = os.fork()
        if child == 0:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for descriptor in range(3): os.dup2(slave, descriptor)
            os.close(master)
            os.execv(sys.argv[4], sys.argv[4:])
        os.close(slave)
        shown = b''
        while True:
            try: some = os.read(master, 65536)
            except OSError: break
            if not some: break
            shown += some
            if question in shown and answer:
                os.write(master, answer)
                answer = b''
        sys.stdout.buffer.write(shown)
        sys.stdout.flush()
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
}
