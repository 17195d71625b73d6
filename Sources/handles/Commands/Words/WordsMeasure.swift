import ArgumentParser
import HandleRegistry
import NameFiles
import RecordFiles

extension Words {
    struct Measure: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "measure",
            abstract: "Measure how many names of files the reserved words refuse, and how a change would alter that.",
            discussion: """
                Names are refused in seven ways: spelled (the name is the word), looks (adm1n, ad_min), doubled \
                (addmin), authority (routes_team, of words that match so), affix (real_admin, admin99), whole (sh1t, \
                shit99) and inside (fuckyou). All but spelled and inside are disguises. Files are read like those of \
                handles validate; a repeated name counts each time. The words stay as they are, and the names are not \
                kept.

                A list for --change is one for handles words import. Several lists are applied in their order.

                Examples:
                  handles words measure users.txt --built-in
                  handles words measure users.csv --change brands.tsv --newly newly.csv
                  handles words measure sample.txt --built-in --disguises --keys --at-most 0.3
                """)

        @OptionGroup var database: DatabaseOptions
        @Flag(help: "Measure the built-in words, without a database.") var builtIn = false
        @Option(help: ArgumentHelp("A list of changes of the words; may be repeated.", valueName: "list"))
        var change: [String] = []
        @Option(
            help: ArgumentHelp("A file for every name that is newly refused or newly free.", valueName: "file"))
        var newly: String?
        @Flag(help: "Also try disguises of the reserved words, but for those that match exactly.") var disguises = false
        @Flag(help: "Also count the names of the files that look like each other, within --memory.") var keys = false
        @Option(
            help: ArgumentHelp(
                "Exit with 1 if a larger share of the names is refused as disguises or for a word inside, after the change.",
                valueName: "percent"))
        var atMost: Double?
        @Flag(help: "Write one JSON object, and the names of --newly as JSON.") var json = false
        @OptionGroup var input: InputOptions
        @OptionGroup var parallel: ParallelOptions
        @Flag(help: "Show no progress.") var quiet = false
        @Argument(help: ArgumentHelp("The files with names; - is the standard input.", valueName: "file"))
        var files: [String]

        func validate() throws {
            if let atMost, !(0...100).contains(atMost) {
                throw ValidationError("--at-most is a number of percent from 0 to 100.")
            }
            guard newly == nil || !change.isEmpty else {
                throw ValidationError("--newly needs a list of --change: without one, no name is newly refused.")
            }
            guard (files + change).count(where: { $0 == "-" }) < 2 else {
                throw ValidationError("Only one file can be the standard input.")
            }
        }

        func run() async throws {
            let selection = try input.selection(columns: [input.column])
            var lists = WordLists()
            // Before the database is opened, so that an unreadable list fails without one.
            try await CommandEdge.report { lists = try WordLists(paths: change) }
            if builtIn {
                try await CommandEdge.run { [lists] in
                    try await measure(selection, lists, .builtIn(off: database.settings().policy.wordsOff))
                }
            } else {
                try await CommandEdge.withRegistry(database, as: .reader) { [lists] registry in
                    try await measure(selection, lists, registry.wordsInForce())
                }
            }
        }

        private func measure(_ selection: Selection, _ lists: WordLists, _ inForce: WordsInForce) async throws {
            try lists.check(against: inForce)
            let words = ProposedWords(inForce, with: lists.changes)
            Memory.keep()
            var options = MeasureRun.Options(jobs: parallel.jobsOrProcessors)
            options.selection = selection
            options.memory = keys ? parallel.memoryInBytes : nil
            options.isJSON = json
            var run = MeasureRun(words: words, options: options)
            try await add(to: &run)
            guard run.measurement.names > 0 else {
                throw CommandFault(
                    .unreadableData, "no well-formed name in \(files.map(TextFile.name).joined(separator: ", "))")
            }
            let report = MeasureReport(
                words: run.measurement, counts: run.summary.counts, keys: run.keys,
                disguises: disguises ? try words.measureDisguises() : nil, areChanged: words.areChanged)
            try write(report)
            try check(report)
        }

        private func add(to run: inout MeasureRun) async throws {
            // Before the report of differences replaces an older one.
            let sources = try files.map { try ByteSource(path: $0) }
            let differences = try newly.map {
                try OutputFile(path: $0, inputs: files + change, isSecond: true, option: "--newly")
            }
            for (file, source) in zip(files, sources) {
                do {
                    let earlier = run.summary.counts.rows
                    let summary = try await FileRun.run(showsProgress: !quiet) { show in
                        try await run.add(source, path: file, differences: differences) { progress in
                            show(
                                Progress(
                                    rows: progress.rows - earlier, position: progress.position, size: progress.size))
                        }
                        return run.summary
                    }
                    try FileRun.checkEnd(summary, of: file)
                } catch {
                    if let newly, run.hasBegun { Output.note("\(newly.printable) is incomplete") }
                    throw error
                }
            }
        }

        private func write(_ report: MeasureReport) throws {
            var output = Output()
            if json {
                try output.json { report.write(to: &$0) }
            } else {
                let tables = MeasureTables(areChanged: report.areChanged, width: Terminal.width, style: .output)
                for line in report.lines(tables) { try output.line(line) }
            }
            try output.flush()
        }

        /// Compares the names that are refused, and are not spelled like a word, with `--at-most`.
        private func check(_ report: MeasureReport) throws {
            guard let atMost else { return }
            let measured = report.words
            let (unreadable, malformed) = (report.counts[.unreadable], report.counts[.invalid])
            guard unreadable == 0, malformed <= measured.names else {
                throw CommandFault(
                    .unreadableData,
                    "too many rows are left out to compare the share with --at-most: is it the right column? handles "
                        + "validate lists them")
            }
            let refused = measured.indirect.after
            // 0.57 % of 10,000 is 57, but a little less in binary fractions.
            let allowed = Int(atMost * Double(measured.names) / 100 * (1 + 1e-12))
            guard refused > allowed else { return }
            throw CommandFault(
                .refused,
                "\(refused.grouped) of \(measured.names.grouped) names are refused as disguises or for a word inside, and "
                    + "--at-most allows \(allowed.grouped)")
        }
    }
}
