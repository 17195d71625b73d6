import ArgumentParser
import HandleRegistry
import HandleRules
import HandleWords

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a name: state, owner, look-alikes, decision and history.",
        discussion: """
            The decision is the answer to a new owner's request for the name. The exit status is 1 when the name is \
            free.

            Examples:
              handles show johndoe
              handles show --json johndoe | jq .decision
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "The record as a JSON object.") var json = false
    @Argument(help: "The name.") var name: String

    func run() async throws {
        try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
            let reading = Reading(typed: name)
            guard let handle = reading.handle else {
                throw CommandFault(.refused, reading.reasons.map(\.message).joined(separator: " "))
            }
            let record = try await registry.record(of: handle)
            let history = try await registry.history(of: handle)
            let lookalikes = try await registry.lookalikes(of: handle)
            let present = try await registry.present(of: handle)
            guard let decision = try await registry.decisions(about: [name]).first else { return }
            if json {
                try output.json {
                    $0.write(
                        handle, record, decision, lookalikes: lookalikes.map(\.handle), history, movedTo: present)
                }
            } else {
                var lines = record?.lines ?? [("handle", "\(handle)"), ("state", "free")]
                if let present {
                    let end = record?.until.map { " until \($0.end)" } ?? ""
                    lines.append(("moved to", "\(present.display)\(end)"))
                }
                lines.append(("decision", decision.sentenceForAdmins))
                lines += lookalikes.map { ("alike", $0.asLookalike) }
                for (label, value) in lines { try output.line(label.padded(to: 10) + value.printable) }
                if !history.isEmpty { try output.line("") }
                for event in history { try output.line(event.line.printable) }
            }
            try output.flush()
            if record == nil { throw CommandFault(.refused, "\(handle) is free") }
        }
    }
}

extension Registry {
    /// The present handle of a forwarded one's former owner; nil for others.
    fileprivate func present(of handle: Handle) async throws -> Record? {
        guard case .moved(_, let present)? = try await resolve([handle]).first else { return nil }
        return present
    }
}

extension Record {
    fileprivate var lines: [(String, String)] {
        let lines: [(String, String?)] = [
            ("handle", handle.description), ("display", display.description), ("state", state.rawValue),
            ("owner", owner?.id), ("reason", reason), ("since", changedAt.rfc3339), ("until", until?.end),
            ("version", String(version)),
        ]
        return lines.compactMap { label, value in value.map { (label, $0) } }
    }
}

extension Record {
    /// `acrne (claimed, user-1)`
    fileprivate var asLookalike: String {
        "\(handle) (\([state.rawValue, owner?.id].compactMap(\.self).joined(separator: ", ")))"
    }
}

extension Decision {
    /// `unavailable: This name is reserved.`
    fileprivate var sentenceForAdmins: String {
        guard !isAvailable else { return status.rawValue }
        return "\(status.rawValue): \(reasons.map(\.sentenceForAdmins).joined(separator: " "))"
    }
}

extension Event {
    /// `2026-11-21T10:00:00.000Z  1  claimed  free → claimed  by key:admin  for user-1`
    fileprivate var line: String {
        let parts = [
            at.rfc3339, String(version).padded(to: 3), action.rawValue.padded(to: 9),
            "\(from.rawValue) → \(to.rawValue)".padded(to: 22), "by \(actor)", ownerText.map { "for \($0)" },
            related.map { "(\($0))" }, reason.map { "– \($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: "  ")
    }

    /// The owner's id; for a deleted owner the beginning of the mark.
    private var ownerText: String? { ownerID?.id ?? owner.map { "deleted owner \("\($0)".prefix(8))" } }
}
