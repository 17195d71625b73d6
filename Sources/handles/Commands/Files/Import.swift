import ArgumentParser
import HandleRegistry
import NameFiles

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import an archive of handles export.",
        discussion: """
            Names that are new to this registry are imported with their owners and ends. Other names stay as they are, \
            and are listed when they differ. Importing again changes nothing, so an interrupted import can be \
            repeated. To get the same registry as the exported one, import into an empty one.

            The last line of an archive has its counts and a hash. An archive without that line, or with another hash, \
            is refused before anything is imported. Input from a pipe is kept in TMPDIR meanwhile.

            Examples:
              handles import --dry-run registry.ndjson
              handles import registry.ndjson
              zcat registry.ndjson.gz | handles import - --data /srv/handles
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "Print the results without changing anything.") var dryRun = false
    @Flag(help: "Show no progress.") var quiet = false
    @Argument(help: "The file; - is the standard input.", completion: .file()) var file: String

    func run() async throws {
        try await CommandEdge.withRegistry(database, as: dryRun ? .reader : .writer) { registry, output in
            var archive = ArchiveImport(registry, actor: CommandEdge.actor.name, isDryRun: dryRun)
            var bar = ProgressBar(isShown: !quiet)
            func refuse(_ refusal: ArchiveImport.Skipped) throws {
                try output.line("\(refusal.subject.padded(to: 16)) refused: \(refusal.why)")
            }
            let file = try ArchiveFile(file)
            try await check(file)
            do {
                let lines = try await file.forEachLine(progress: { bar.show($0) }) { line, number in
                    try await archive.take(line, number: number, refuse: refuse)
                }
                try await archive.finish(lines: lines, refuse: refuse)
            } catch var fault as ArchiveImport.Fault where dryRun {
                fault.isBeforeAll = true
                throw fault
            }
            bar.clear()
            output.hasRefused = archive.counts.refused > 0
            let counts = archive.counts
            let done = dryRun ? "would be imported" : "imported"
            try output.note(
                "\(counts.imported.grouped) names \(done), \(counts.already.grouped) there already, "
                    + "\(counts.refused.grouped) refused; \(counts.words.grouped) changes of reserved words, "
                    + "\(counts.locks.grouped) owners with locks \(done)")
        }
    }

    /// Checks that the archive is complete before anything is imported.
    private func check(_ file: ArchiveFile) async throws {
        var check = ArchiveCheck()
        let lines = try await file.forEachLine { line, number in try check.take(line, number: number) }
        try check.finish(lines: lines)
    }
}
