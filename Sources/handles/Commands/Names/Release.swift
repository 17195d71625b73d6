import ArgumentParser
import Foundation
import HandleRegistry
import HandleRules
import HandleWords
import NameFiles

struct ReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Release names: a claim goes into quarantine; a hold or reservation is free at once.",
        discussion: """
            Taking a name from an owner needs a confirmation: an answer at the terminal, or --yes. A reservation is \
            released without one. A name that changes while the question is open stays as it is.

            In quarantine a name is kept for its former owner, who can take it back. With --now it is free at once, also \
            out of quarantine. To take a name from its owner for good, use handles assign or handles reserve --take.

            A file has one name a line, or the columns handle (or the one of --column) and reason. The result of every \
            row is written as CSV, and the changes are recorded in an undo file: FILE.undo.csv in the working folder, or \
            the file of --undo. Without --file, --undo undoes what such a file records, of handles reserve, claim, \
            release, rename or assign: each name that has not changed since is again what it was before.

            Examples:
              handles release johndoe
              handles release acme acme_support --reason "brand sold"
              handles release --dry-run johndoe janedoe
              handles release johndoe janedoe --yes --json
              handles release johndoe --now --reason "wrong import"
              handles release --file closed.csv --reason "accounts closed" --yes
              handles release --undo brands.undo.csv --reason "wrong list"
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(help: "Reason; recorded in the names' history.") var reason: String?
    @Flag(help: "Free the names at once, without quarantine, or out of it.") var now = false
    @Flag(help: "Skip the confirmation.") var yes = false
    @Flag(help: "Print the results without changing anything; ask nothing.") var dryRun = false
    @Flag(help: "One JSON object a line.") var json = false
    @Option(
        help: ArgumentHelp("Undo what an undo file records. With --file: the undo file to write.", valueName: "file"),
        completion: .file())
    var undo: String?
    @OptionGroup(title: "Options for a file") var files: FileOptions
    @Argument(help: ArgumentHelp("The names.", valueName: "name")) var names: [String] = []

    func validate() throws {
        try reason?.checkAsReason()
        guard names.isEmpty != (undo == nil && files.file == nil) else {
            throw ValidationError("Give the names, or a file with --file or --undo.")
        }
    }

    func run() async throws {
        if files.file != nil {
            return try await files.change(
                "released", database, reason: reason, json: json, undo: undo, isDryRun: dryRun, isConfirmed: yes
            ) { ChangeJob(releasing: $0, atOnce: now, $1) }
        }
        if let undo { return try await takeBack(undo) }
        try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
            let known = try await registry.records(of: names)
            let owned = known.values.filter {
                $0.state == .claimed || $0.state == .held || (now && $0.state == .quarantined)
            }
            let plan = dryRun ? DryRun(registry) : nil
            if !owned.isEmpty, !dryRun {
                try await Confirmation(isGiven: yes).ask(
                    question(owned.sorted { $0.handle < $1.handle }, registry.policy),
                    "this takes names from their owners")
            }
            var done: Set<Handle> = []
            for name in names {
                let handle = Reading(typed: name).handle
                if let handle, !done.insert(handle).inserted { continue }
                let outcome: ChangeOutcome =
                    if let handle, let record = known[handle] {
                        // The confirmation covers only the version that was shown; a name that has changed since is not
                        // released.
                        try await registry.perform(
                            Release(
                                handle, atOnce: now, if: Precondition(unchanged: record),
                                Cause(by: CommandEdge.actor, reason: reason)), in: plan)
                    } else {
                        .refused(.notClaimed)
                    }
                if !outcome.isDone { output.hasRefused = true }
                let sentence = (dryRun && outcome.isDone ? "would be " : "") + outcome.sentenceOfRelease
                try output.result("\(name.printable.padded(to: 16)) \(sentence)") { $0.write(outcome, of: name) }
            }
        }
    }

    /// Undoes the changes of an undo file.
    private func takeBack(_ file: String) async throws {
        try await CommandEdge.withRegistry(database, as: .reader) { registry, _ in
            let job = UndoJob(
                registry, Cause(by: CommandEdge.actor, reason: reason), format: json ? .json : .columns,
                isDryRun: dryRun)
            let summary = try await FileRun.run(showsProgress: !files.quiet) {
                try await job.run(path: file, report: OutputFile(), progress: $0)
            }
            let damaged = summary.skipped.filter { $0 != summary.openLine }
            for line in damaged { Output.note("line \(line) of \(file.printable) can't be read and was skipped") }
            if let cut = summary.openLine, summary.skipped.contains(cut) {
                Output.note("line \(cut) of \(file.printable) was cut before its name was changed")
            }
            let counts = summary.counts
            Output.note(
                "\((counts[.done] - counts.restored).grouped) \(dryRun ? "would be released" : "released"), "
                    + (counts.restored > 0 ? "\(counts.restored.grouped) given back, " : "")
                    + "\(counts[.differs].grouped) changed since and left as they are")
            try FileRun.checkEnd(summary, of: file, dryRun ? nil : "released names stay released")
            guard damaged.isEmpty else {
                throw CommandFault(
                    .unreadableData,
                    "\(file) is damaged: correct the lines above and run it again, or release their names with handles "
                        + "release NAME; handles list --state reserved shows the names")
            }
            try FileRun.end(summary, of: file)
        }
    }

    private func question(_ records: [Record], _ policy: Policy) -> String {
        func fate(_ record: Record) -> String {
            record.state == .claimed && !now ? policy.fateOfReleased : "is free at once"
        }
        func owner(_ record: Record) -> String { record.owner?.id.printable ?? "its former owner" }
        if let record = records.first, records.count == 1 {
            return "Take \(record.display) from \(owner(record))? It \(fate(record))."
        }
        let lines = records.map { "  \($0.display) of \(owner($0)): \(fate($0))" }
        return lines.joined(separator: "\n") + "\nTake these \(records.count) names from their owners?"
    }
}

extension Registry {
    /// The records of those of the names that are in use.
    func records(of names: [String]) async throws -> [Handle: Record] {
        var known: [Handle: Record] = [:]
        for handle in names.compactMap({ Reading(typed: $0).handle }) { known[handle] = try await record(of: handle) }
        return known
    }
}

extension Policy {
    /// The fate of a claimed name that is released now, as part of a sentence.
    var fateOfReleased: String {
        guard quarantine > .zero else { return "is free at once" }
        return "goes into quarantine until \(Day.minute(Date.now.addingTimeInterval(quarantine / .seconds(1)))) UTC"
    }
}

extension ChangeOutcome {
    fileprivate var sentenceOfRelease: String {
        switch self {
        case .done(let record):
            guard record.state == .quarantined, let until = record.until else { return "free" }
            return "quarantined until \(until.rfc3339)"
        case .already(let record):
            return "was left as it is: quarantined until \(record.until?.rfc3339 ?? ""); with --now it is free at once"
        case .refused(let refusal): return refusal.sentence
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ outcome: ChangeOutcome, of name: String) {
        let (result, record): (String, Record?) =
            switch outcome {
            case .done(let record): ("released", record)
            case .already(let record): ("already", record)
            case .refused(.changed(let record)): ("differs", record)
            case .refused(.notOwner(let record)), .refused(.needsAdmin(let record)): ("differs", record)
            case .refused: ("not_found", nil)
            }
        object { json in
            json.member("input", name)
            json.member("result", result)
            json.member("handle", record?.handle.letters)
            json.member("state", record?.state.rawValue)
            json.member("until", record?.until?.rfc3339)
        }
    }
}
