import Foundation
import HandleRegistry
import TestService
import TestSupport
import Testing

/// A running `handles push`.
struct Pusher {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private let process: Process
    private let folder: TestFolder
    private let said: String

    /// - Parameter arguments: those after the address and the secret.
    init(
        to address: String, _ arguments: [String] = [], in folder: TestFolder, on database: String,
        _ variables: [String: String] = [:]
    ) throws {
        self.folder = folder
        said = "push-\(UInt32.random(in: 0 ... .max)).words"
        let secret = try folder.file("hook.secret", "\(Self.secret)\n")
        process = Program.process(
            ["push", "--to", address, "--secret-file", secret] + arguments, in: folder.path,
            variables.merging(["DATABASE_URL": database]) { $1 })
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: try folder.file(said, ""))
        try process.run()
    }

    var words: String { (try? folder.contents(said)) ?? "" }
    var hasEnded: Bool { process.endStatus != nil }

    /// Waits until the program has begun to deliver.
    func begun() async throws {
        try await eventually("push delivers") { words.contains("delivering to ") || hasEnded }
    }

    /// Sends a signal and waits for the end.
    /// - Returns: the exit status, or the number of the signal that ended the program.
    func end(_ signal: Int32) async -> Int32 {
        kill(process.processIdentifier, signal)
        return await process.ended()
    }

    /// Waits until the program ends by itself.
    func ended() async -> Int32 { await process.ended() }
}

/// A registry with a feed that is on. The test numbers the changes, as a service would.
struct FedRegistry {
    let database: String
    let registry: Registry
    private let leader: FeedLeader

    init() async throws {
        database = try await TestCluster.shared.freshDatabase()
        registry = try Registry(pool: patientPool(database), policy: .unlimited)
        try await registry.keepFeed(for: .seconds(86_400))
        leader = FeedLeader(registry)
    }

    /// Claims names and gives the events their numbers.
    func claim(_ names: String...) async throws {
        for name in names { try #require(await registry.claim(name, for: owner("owner-of-\(name)")).isDone) }
        _ = try await leader.round()
    }

    /// The last event that the receiver of the only cursor has accepted; -1 without one.
    func position() async throws -> Int64 { try await number("SELECT seq FROM feed_cursors", on: database) }

    /// The cursor is as if the program that has it had just renewed it.
    func lengthenLease() async throws {
        try await execute("UPDATE feed_cursors SET lease_end = now() + interval '1 hour'", on: database)
    }

    /// The cursor is as if the program that had it were long gone.
    func endLease() async throws { try await execute("UPDATE feed_cursors SET lease_end = now()", on: database) }
}

extension HTTPReceiver.Request {
    /// The number of the event in the body; 0 if there is none.
    var seq: Int {
        let object = try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
        return (object?["data"] as? [String: Any])?["seq"] as? Int ?? 0
    }
}
