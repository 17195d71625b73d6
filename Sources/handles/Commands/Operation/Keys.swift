import ArgumentParser
import Foundation
import HandleRegistry

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Manage the access keys of callers.",
        discussion: """
            A key has one or more scopes: read (list an owner's handles), claim (read; hold, claim, rename and release \
            names), moderate (claim; take, assign and reserve names, lock owners), metrics (/metrics and nothing else), \
            admin (all). Running services know of a new or revoked key within two seconds.

            Examples:
              handles keys create --name signup --scope claim
              handles keys list
              handles keys revoke k3vq7mzd
            """,
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a key. It is printed once; the registry stores only its hash.",
            discussion: """
                Examples:
                  handles keys create --name signup --scope claim > /run/secrets/handles-key
                  handles keys create --name "report of 2027" --scope read --until 2027-12-31
                  handles keys create --name partner --scope claim --limit 1000/1m
                """)

        @OptionGroup var database: DatabaseOptions
        @Option(help: "Name of the key; recorded as the actor in the history.")
        var name: String
        @Option(
            name: .customLong("scope"),
            help: ArgumentHelp(
                "Scope: read, claim, moderate, feed, metrics or admin; may be repeated.", valueName: "scope"))
        var scopes: [KeyScope]
        @Option(help: ArgumentHelp("Last day (UTC) on which the key is valid.", valueName: "YYYY-MM-DD"))
        var until: String?
        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Rate limit: number of names in a time.", valueName: "number/time"))
        var limit: String?
        @Flag(help: "Print the key and its record as a JSON object.") var json = false

        func validate() throws {
            guard !scopes.isEmpty else { throw ValidationError("Give at least one --scope.") }
            do { _ = try grant() } catch let fault as CommandFault { throw ValidationError(fault.description) }
        }

        func run() async throws {
            let grant = try grant()
            try await CommandEdge.withRegistry(database, as: .writer, json: json) { registry, output in
                let (key, record) = try await KeyStore(pool: registry.pool).create(grant, actor: CommandEdge.actor.name)
                Output.note(
                    "key \(record.id) for \(record.name) with \(record.scopeText)"
                        + (record.until.map { ", until \($0.end)" } ?? "") + "; it is not shown again:")
                try output.result(key.text) { $0.write(record, key) }
            }
        }

        private func grant() throws -> KeyGrant {
            guard
                let grant = try KeyGrant(
                    name: name, scopes: Set(scopes), until: until.map { try LastDay.parse($0, option: "--until") },
                    rate: limit.map { try RateText.parse($0, "--limit") })
            else { throw ValidationError("--name is \(KeyGrant.nameRule).") }
            return grant
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the records of the valid keys (the keys themselves are not stored).",
            discussion: """
                Examples:
                  handles keys list
                  handles keys list --all --json
                """)

        @OptionGroup var database: DatabaseOptions
        @Flag(help: "Also list expired and revoked keys.") var all = false
        @Flag(help: "One JSON object a line.") var json = false

        func run() async throws {
            try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
                let keys = try await KeyStore(pool: registry.pool).records().filter { all || $0.state == .active }
                try output.rows(
                    keys, ["id", "name", "scopes", "created", "ends", "last used", "limit", "state"], soft: ["name"],
                    cells: \.cells, json: { $0.write($1) })
                if keys.isEmpty { Output.note("there are no keys; create one with handles keys create") }
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke keys for good. Revoking a key again is no error.",
            discussion: """
                Examples:
                  handles keys revoke k3vq7mzd
                  handles keys revoke k3vq7mzd x52ahw4e
                """)

        @OptionGroup var database: DatabaseOptions
        @Argument(help: ArgumentHelp("The keys' ids; see handles keys list.", valueName: "id")) var ids: [String]

        func validate() throws {
            guard !ids.contains(where: AccessKey.isLike) else {
                throw ValidationError(
                    "Give the key's id (see handles keys list): other users can read a key on the command line "
                        + "of this machine.")
            }
        }

        func run() async throws {
            try await CommandEdge.withRegistry(database, as: .reader) { registry, output in
                for id in ids {
                    let result: String
                    switch try await KeyStore(pool: registry.pool).revoke(id, actor: CommandEdge.actor.name) {
                    case .revoked: result = "revoked"
                    case .already: result = "revoked already"
                    case .notFound: (result, output.hasRefused) = ("no such key", true)
                    }
                    try output.line("\(id.printable.padded(to: 8)) \(result)")
                }
            }
        }
    }
}

extension KeyScope: ExpressibleByArgument {}

extension KeyRecord {
    fileprivate var scopeText: String { scopes.map(\.rawValue).joined(separator: ",") }

    fileprivate var cells: [Table.Cell] {
        [
            Table.Cell(id), Table.Cell(name), Table.Cell(scopeText), Table.Cell(Day.minute(createdAt)),
            Table.Cell(until?.end ?? "never"), Table.Cell(lastUsedAt.map(Day.minute) ?? "never"),
            Table.Cell(rate.map(RateText.text) ?? "none"),
            Table.Cell(state.rawValue),
        ]
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ record: KeyRecord, _ key: AccessKey? = nil) {
        object { json in
            if let key { json.member("key", key.text) }
            json.member("id", record.id)
            json.member("name", record.name)
            json.key("scopes")
            json.array { json in for scope in record.scopes { json.string(scope.rawValue) } }
            json.member("limit", record.rate.map(RateText.text))
            json.member("actor", record.actor)
            json.member("created_at", record.createdAt.rfc3339)
            json.member("until", record.until?.rfc3339)
            json.member("revoked_at", record.revokedAt?.rfc3339)
            json.member("last_used_at", record.lastUsedAt?.rfc3339)
            json.member("state", record.state.rawValue)
        }
    }
}
