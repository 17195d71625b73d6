import HandleRegistry
import TestService
import TestSupport

/// Runs commands of the program in a folder, on one database.
struct Commands {
    private let prefix: [String]
    private let folder: String
    let database: String

    /// - Parameters:
    ///   - prefix: the words before the arguments of each call.
    ///   - database: nil for a new one with the schema.
    init(_ prefix: String..., in folder: String, on database: String? = nil) async throws {
        (self.prefix, self.folder) = (prefix, folder)
        if let database {
            self.database = database
        } else {
            self.database = try await TestCluster.shared.freshDatabase()
        }
    }

    func callAsFunction(
        _ arguments: String..., with variables: [String: String] = [:], input: String = ""
    ) async throws -> Program.Result {
        try await self(arguments, with: variables, input: input)
    }

    func callAsFunction(
        _ arguments: [String], with variables: [String: String] = [:], input: String = ""
    ) async throws -> Program.Result {
        let all = variables.merging(["DATABASE_URL": database]) { $1 }
        return try await Program.run(prefix + arguments, in: folder, all, input: input)
    }

    /// Runs a command at a terminal, and types an answer to its question.
    func typing(_ answer: String, _ arguments: String...) async throws -> Program.Result {
        try await Terminal.run(prefix + arguments, in: folder, ["DATABASE_URL": database], answer: answer)
    }

    /// The registry of the database, in this process.
    func registry() throws -> Registry { try Registry(pool: patientPool(database), policy: .unlimited) }
}
