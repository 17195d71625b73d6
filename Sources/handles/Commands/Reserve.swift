import ArgumentParser
import Foundation
import HandleCore
import HandleRegistry

struct Reserve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep names from everybody, maybe for an owner.",
        discussion: """
            What looks like a reserved name can't be had either. To reserve a name again changes nothing and is no
            error. A name that somebody has is never taken away; names in use that look like it are listed.

            Examples:
              handles reserve acme acme_support --reason "our own brand"
              handles reserve --file brands.txt --reason "trademarks" --until 2027-12-31
              handles reserve acrne --reason "another firm" --allow-lookalike
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(help: ArgumentHelp("A file with one name a line; - is the standard input.", valueName: "file"))
    var file: String?
    @Option(help: "Why; kept with the names.") var reason: String
    @Option(name: .customLong("for"), help: ArgumentHelp("Who may claim them.", valueName: "owner")) var owner: String?
    @Option(help: ArgumentHelp("The last day (UTC) of the reservation.", valueName: "YYYY-MM-DD")) var until: String?
    @Flag(help: "Reserve names although they look like ones that are protected already.") var allowLookalike = false
    @Flag(help: "Say what would happen, and change nothing.") var dryRun = false
    @Flag(help: "One JSON object a line.") var json = false
    @Argument(help: ArgumentHelp("The names.", valueName: "name")) var names: [String] = []

    func validate() throws {
        guard names.isEmpty != (file == nil) else {
            throw ValidationError("Give the names, or a file with --file.")
        }
        try reason.checkAsReason()
        _ = try reservation()
    }

    func run() async throws {
        let reservation = try reservation()
        try await CommandEdge.withRegistry(database) { registry in
            var report = ReserveReport(json: json)
            for name in try inputs() {
                try Task.checkCancellation()
                if dryRun {
                    let (decision, isReserved) = try await registry.decisionToReserve(name)
                    let reasons = decision.reasons.filter { $0.code != .lookalike || !allowLookalike }
                    try report.add(name, reasons, isReserved: isReserved)
                } else {
                    let reserve = HandleRegistry.Reserve(
                        name, reservation, allowingLookalike: allowLookalike, actor: CommandEdge.actor)
                    try report.add(name, await registry.perform(reserve))
                }
            }
            try report.finish(isDryRun: dryRun)
        }
    }

    private func inputs() throws -> [String] {
        guard let file else { return names }
        return try TextFile.read(file).split(whereSeparator: \.isNewline).map(String.init)
    }

    private func reservation() throws -> Reservation {
        let owner = try owner.map { id in
            guard let owner = Owner(id) else { throw ValidationError("--for is \(Owner.rule).") }
            return owner
        }
        return Reservation(reason: reason, owner: owner, until: try until.map(endOfDay))
    }

    /// The moment after the last moment of a day.
    private func endOfDay(_ text: String) throws -> Date {
        let format = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
        guard let day = try? format.parse(text), day.ISO8601Format(format) == text else {
            throw ValidationError("--until is a day such as 2027-12-31.")
        }
        guard day.addingTimeInterval(86400) > Date.now else { throw ValidationError("--until is over already.") }
        return day.addingTimeInterval(86400)
    }
}

/// Says what became of each name, and counts.
private struct ReserveReport {
    let json: Bool
    private var output = Output()
    private var reserved = 0
    private var already = 0
    private var refused = 0

    init(json: Bool) { self.json = json }

    mutating func add(_ name: String, _ outcome: ReserveOutcome) throws {
        switch outcome {
        case .reserved(_, let lookalikes):
            reserved += 1
            try write(name, "reserved", [], lookalikes: lookalikes)
        case .already:
            already += 1
            try write(name, "already_reserved", [])
        case .refused(let decision):
            refused += 1
            try write(name, "refused", decision.reasons)
        }
    }

    /// What would happen.
    mutating func add(_ name: String, _ reasons: [Reason], isReserved: Bool) throws {
        if !reasons.isEmpty {
            refused += 1
            try write(name, "refused", reasons)
        } else if isReserved {
            already += 1
            try write(name, "already_reserved", [])
        } else {
            reserved += 1
            try write(name, "reserved", [])
        }
    }

    private mutating func write(
        _ name: String, _ result: String, _ reasons: [Reason], lookalikes: [Handle] = []
    ) throws {
        if json {
            try output.json { json in
                json.object { json in
                    json.member("input", name)
                    json.member("result", result)
                    json.key("reasons")
                    json.write(reasons, for: .keyHolders)
                    json.key("lookalikes")
                    json.array { json in for handle in lookalikes { json.string(handle.description) } }
                }
            }
        } else {
            var why = reasons.map(\.sentenceForAdmins).joined(separator: " ")
            if !lookalikes.isEmpty {
                why += "In use and looking like it: " + lookalikes.map(\.description).joined(separator: ", ")
            }
            try output.line("\(name.printable.padded(to: 16)) \(result.padded(to: 16)) \(why)".trimmed)
        }
    }

    mutating func finish(isDryRun: Bool) throws {
        try output.flush()
        let verb = isDryRun ? "would be reserved" : "reserved"
        Output.note("\(reserved) \(verb), \(already) already reserved, \(refused) refused")
        if refused > 0 { throw CommandFault.refused }
    }
}

extension Reason {
    /// The message, and for a taken name in what way.
    var sentenceForAdmins: String {
        switch self {
        case .taken(let state): "This name is \(state.rawValue)."
        case .reservedWord(let word): "'\(word.word)' is a reserved word (\(word.category))."
        case .lookalike(let original): "This looks too much like \(original)."
        default: message
        }
    }
}

extension String {
    /// Refuses what can't be kept as a reason.
    func checkAsReason() throws {
        guard !trimmed.isEmpty, !unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw ValidationError("--reason needs a few words in one line.")
        }
    }
}
