import ArgumentParser
import HandleRegistry
import HandleRules
import HandleWords
import NameFiles

import struct FoundationEssentials.Date

struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Validate every name of a file, with the reasons for refused ones.",
        discussion: """
            Reads lines, CSV, TSV or NDJSON, plain or compressed with gzip, and writes refused rows as CSV: line, \
            record, name, reasons, and the first row with the same name.

            Examples:
              handles validate users.txt
              handles validate users.csv --column username --output report/
              handles validate users.csv --repair --html report.html > refused.csv
              zcat users.ndjson.gz | handles validate --format ndjson --column user.login
            """)

    @OptionGroup var input: InputOptions
    @OptionGroup var database: DatabaseOptions
    @Flag(help: "Also check the registry: names in use and its reserved words.") var registry = false
    @Option(
        help: ArgumentHelp(
            "A folder for NAME.valid.csv and NAME.refused.csv, or a file for the refused rows.",
            valueName: "folder or file"), completion: .file())
    var output: String?
    @Option(help: ArgumentHelp("A page for people: one HTML file with totals and examples.", valueName: "file"))
    var html: String?
    @Flag(help: "Propose a name for every refused row: valid, unlike all others of the file, and unique.") var repair =
        false
    @Flag(help: "One JSON object for every row, including valid ones.") var json = false
    @Flag(help: "Write names as they are: no escapes, no guard against spreadsheet formulas.") var raw = false
    @OptionGroup var parallel: ParallelOptions
    @Flag(help: "Stop at the first row that is refused.") var failFast = false
    @Flag(help: "Print errors only.") var quiet = false
    @Argument(help: ArgumentHelp("The file; - is the standard input.", valueName: "file"), completion: .file())
    var file = "-"

    func run() async throws {
        if html != nil, html == output { throw ValidationError("--html and --output need different files.") }
        let selection = try input.selection(columns: [input.column])
        if registry {
            try await CommandEdge.withRegistry(database, as: .reader) { registry, _ in
                try await validate(selection, registry.words, registry.policy, registry)
            }
        } else {
            try await CommandEdge.run {
                let policy = try database.settings().policy
                try await validate(selection, .builtIn(off: policy.wordsOff), policy, nil)
            }
        }
    }

    private func validate(
        _ selection: Selection, _ words: ReservedWords, _ policy: Policy, _ registry: Registry?
    ) async throws {
        Memory.keep()
        let outputs = try ReportFiles(input: file, output: output, isJSON: json)
        let page = try html.map { try OutputFile(path: $0, input: file, option: "--html") }
        var note = ""
        var options = ValidateJob.Options(
            style: ReportStyle(format: json ? .json : .csv, valid: outputs.style, isRaw: raw),
            jobs: parallel.jobsOrProcessors)
        options.style.hasRepairs = repair
        options.style.hasExamples = page != nil
        options.selection = selection
        options.stopsAtRefused = failFast
        options.memory = parallel.memoryInBytes
        let job = ValidateJob(words: words, policy: policy, registry: registry, options: options)
        let summary = try await FileRun.run(showsProgress: !quiet) {
            try await job.run(
                path: file, valid: outputs.valid, refused: outputs.refused,
                opened: {
                    note = $0
                    if !quiet { FileRun.note($0) }
                },
                progress: $0)
        }
        if !quiet { Output.note(summary.text(file: file)) }
        try page?.write(ReportPage(path: file, note: note, date: Date(), summary: summary).html)
        try FileRun.end(summary, of: file)
    }
}
