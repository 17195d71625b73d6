import ArgumentParser
import HandleRegistry
import HandleRules
import HandleWords
import NameFiles

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List names in use, all or filtered.",
        discussion: """
            Names are listed in alphabetical order, and written while they are read. A name must match every filter. \
            Times and days are UTC. Free names are not listed.

            Examples:
              handles list --state reserved --reason trademark
              handles list --owner user-123 --json
              handles list --category brands --csv > hit-by-brands.csv
              handles list --since 2026-01-01 --before 2026-02-01
              handles list --ends-since 2027-12-01 --ends-before 2028-01-01
              handles list --limit 100 --after johndoe
              handles list --locked
            """)

    /// A state of a name in use.
    enum ListedState: String, ExpressibleByArgument, CaseIterable {
        case held, claimed, reserved, quarantined
    }

    @OptionGroup var database: DatabaseOptions
    @Option(help: "Only names in this state; may be given more than once.") var state: [ListedState] = []
    @Option(help: "Only names that a reserved word of this category refuses to others.") var category: String?
    @Option(help: "Only names with this prefix.") var prefix: String?
    @Option(help: ArgumentHelp("Only names of this owner, or reserved for this owner.", valueName: "owner"))
    var owner: String?
    @Option(help: "Only reservations with this text in the reason, ignoring case.") var reason: String?
    @Option(help: ArgumentHelp("Only names changed on this day or later.", valueName: "YYYY-MM-DD"))
    var since: String?
    @Option(help: ArgumentHelp("Only names last changed before this day.", valueName: "YYYY-MM-DD"))
    var before: String?
    @Option(help: ArgumentHelp("Only names with a last day from this day on.", valueName: "YYYY-MM-DD"))
    var endsSince: String?
    @Option(help: ArgumentHelp("Only names with a last day before this day.", valueName: "YYYY-MM-DD"))
    var endsBefore: String?
    @Option(parsing: .unconditional, help: "Maximum number of names. (default: all)") var limit: Int?
    @Option(help: ArgumentHelp("Start after this name, such as the last one of the previous page.", valueName: "name"))
    var after: String?
    @Flag(help: "One JSON object a line.") var json = false
    @Flag(help: "The owners that are locked, instead of names.") var locked = false
    @Flag(help: "CSV with a header, safe to open in a spreadsheet.") var csv = false

    func validate() throws {
        guard !json || !csv else { throw ValidationError("Choose --json or --csv.") }
        guard !locked || (!csv && isUnfiltered) else {
            throw ValidationError("With --locked, only --json is possible.")
        }
        if let limit, limit < 1 { throw ValidationError("--limit is a number from 1 on.") }
        if let after, Reading(typed: after).handle == nil { throw ValidationError("--after is a name.") }
        _ = try filter()
    }

    private var isUnfiltered: Bool {
        state.isEmpty && limit == nil
            && [category, prefix, owner, reason, since, before, endsSince, endsBefore, after].allSatisfy { $0 == nil }
    }

    func run() async throws {
        if locked { return try await listLocks() }
        let filter = try filter()
        let after = after.flatMap { Reading(typed: $0).handle }
        try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
            if csv { try output.line("handle,display,state,owner,since,until,reason,version") }
            var (count, last, hasMore) = (0, Handle?.none, false)
            try await registry.names(matching: filter, after: after) { page in
                var page = page
                if let category {
                    page.removeAll { registry.words.match($0.handle.letters)?.category != category }
                }
                if let limit, count + page.count > limit {
                    page.removeLast(count + page.count - limit)
                    hasMore = true
                }
                count += page.count
                last = page.last?.handle ?? last
                if csv {
                    for record in page { try output.line(record.csv) }
                } else {
                    try output.rows(
                        page, ["handle", "state", "owner", "since", "until", "reason"], soft: ["owner", "reason"],
                        cells: \.cells, json: { $0.write($1, for: .keyHolders) })
                }
                // Shows each page at once.
                try output.flush()
                return !hasMore
            }
            if let last, hasMore { Output.note("there are more: go on with --after \(last)") }
            if count == 0 { try output.note("no names match") }
        }
    }

    private func listLocks() async throws {
        try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
            var count = 0
            try await registry.locks { page in
                count += page.count
                try output.rows(
                    page, ["owner", "since", "until", "by", "reason"], soft: ["owner", "reason"], cells: \.cells,
                    json: { $0.write(lock: $1) })
            }
            if count == 0 { try output.note("no owner is locked") }
        }
    }

    private func filter() throws -> NameFilter {
        var filter = NameFilter()
        filter.states = state.compactMap { Handle.State(rawValue: $0.rawValue) }
        filter.owner = try owner.map { id in
            guard let owner = Owner(id) else { throw ValidationError("--owner is \(Owner.rule).") }
            return owner
        }
        if let prefix {
            let letters = prefix.lowercased()
            guard (1...PackedASCII.capacity).contains(letters.utf8.count),
                letters.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
            else {
                throw ValidationError("--prefix is the beginning of a name: 1 to 15 of a–z, 0–9 and _.")
            }
            filter.prefix = letters
        }
        if let reason {
            guard !reason.isEmpty else { throw ValidationError("--reason needs some text to look for.") }
            filter.reason = reason
        }
        filter.since = try since.map { try Day.parse($0, option: "--since") }
        filter.before = try before.map { try Day.parse($0, option: "--before") }
        filter.endsSince = try endsSince.map { try Day.parse($0, option: "--ends-since") }
        filter.endsBefore = try endsBefore.map { try Day.parse($0, option: "--ends-before") }
        return filter
    }
}

extension Record {
    fileprivate var cells: [Table.Cell] {
        [
            Table.Cell(display.description), Table.Cell(state.rawValue, state.colour), Table.Cell(owner?.id),
            Table.Cell(Day.text(changedAt)), Table.Cell(end), Table.Cell(reason),
        ]
    }

    /// When the state ends by itself: the minute for holds, which last for minutes, otherwise the last day.
    private var end: String? { until.map { state == .held ? Day.minute($0) : $0.lastDay } }

    fileprivate var csv: String {
        [
            handle.description, display.description, state.rawValue, CSVText.field(owner?.id ?? ""),
            changedAt.rfc3339, until?.end ?? "", CSVText.field(reason ?? ""), String(version),
        ].joined(separator: ",")
    }
}
