import ArgumentParser
import HandleRegistry
import HandleRules
import NameFiles

import struct Foundation.Date

struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Lock an owner: it can't get, change or release names.",
        discussion: """
            The owner keeps its names. It can't hold, claim, rename, recase, offer or release one until the lock ends; \
            moderators can for it. Locking an owner again changes the end and the reason; the same lock again is no error.

            Examples:
              handles lock user-8 --reason "impersonates a shop"
              handles lock user-8 --until 2027-12-31 --reason "second warning"
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(help: "Reason; recorded in the owner's history.") var reason: String
    @Option(help: ArgumentHelp("The last day (UTC) of the lock. (default: no end)", valueName: "YYYY-MM-DD"))
    var until: String?
    @Flag(help: "The lock as a JSON object.") var json = false
    @Argument(help: ArgumentHelp("The owner's id.", valueName: "owner")) var owner: String

    func validate() throws {
        guard Owner(owner) != nil else { throw ValidationError("The owner is \(Owner.rule).") }
        try reason.checkAsReason()
        _ = try end()
    }

    func run() async throws {
        guard let owner = Owner(owner) else { return }
        let end = try end()
        try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
            let cause = Cause(by: CommandEdge.actor, reason: reason)
            let (lock, isNew) = try await registry.lock(owner, until: end, cause)
            let sentence = "is locked \(lock.until.map { "until \($0.end)" } ?? "without an end")"
            try output.result("\(owner.id.printable) \(sentence)\(isNew ? "" : " already")") { $0.write(lock: lock) }
        }
    }

    private func end() throws -> Date? { try until.map { try LastDay.parse($0, option: "--until") } }
}

struct UnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "End the lock of an owner.",
        discussion: """
            Unlocking an owner that is not locked is no error.

            Examples:
              handles unlock user-8
              handles unlock user-8 --reason "showed us the papers"
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(help: "Reason; recorded in the owner's history.") var reason: String?
    @Argument(help: ArgumentHelp("The owner's id.", valueName: "owner")) var owner: String

    func validate() throws {
        guard Owner(owner) != nil else { throw ValidationError("The owner is \(Owner.rule).") }
        try reason?.checkAsReason()
    }

    func run() async throws {
        guard let owner = Owner(owner) else { return }
        try await CommandEdge.withRegistry(database, as: .reader) { registry, output in
            let event = try await registry.unlock(owner, Cause(by: CommandEdge.actor, reason: reason))
            try output.line("\(owner.id.printable) is \(event == nil ? "not locked" : "unlocked now")")
        }
    }
}

extension OwnerEvent {
    /// The cells of a list of locks.
    var cells: [Table.Cell] {
        [
            Table.Cell(owner?.id ?? "(deleted)"), Table.Cell(Day.minute(at)), Table.Cell(until?.end ?? "never"),
            Table.Cell(actor), Table.Cell(reason),
        ]
    }
}
