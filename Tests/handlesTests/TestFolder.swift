import Foundation
import TestService
import TestSupport
import Testing

/// A folder of a test, with the files that it gives to the program and finds afterwards.
struct TestFolder {
    let path: String

    init(_ name: String) { path = TemporaryFolder.make(name) }

    /// Writes a file and returns its path.
    @discardableResult func file(_ name: String, _ text: String) throws -> String { try file(name, Data(text.utf8)) }

    @discardableResult func file(_ name: String, _ data: Data) throws -> String {
        try data.write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }

    func contents(_ name: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }

    /// Has the shell do what a person would type in the folder; it must go well.
    func shell(_ command: String) async throws {
        let result = try await Program.run(program: "/bin/sh", ["-c", command], in: path)
        try #require(result.status == 0, "\(command): \(result.words)")
    }
}
