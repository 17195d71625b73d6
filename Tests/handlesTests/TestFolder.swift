import Foundation
import TestService
import TestSupport
import Testing

/// A test's folder, with the files that the test gives to the program and reads afterwards.
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

    /// Runs a shell command in the folder; it must succeed.
    func shell(_ command: String) async throws {
        let result = try await Program.run(program: "/bin/sh", ["-c", command], in: path)
        try #require(result.status == 0, "\(command): \(result.words)")
    }
}
