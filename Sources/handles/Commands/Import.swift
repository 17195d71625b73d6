import ArgumentParser
import BatchValidation
import HandleRegistry
import Records

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take in what handles export wrote.",
        discussion: """
            Names that this registry has never had are taken in as they are, with their owners and ends; the rest stays \
            as it is, and is listed when it differs. To import again changes nothing, so an import that was interrupted \
            may be repeated. For a registry that is the same as the exported one, import into an empty one.

            The last line of an archive says what is in it, with a hash: without it, or with another, nothing is taken in. \
            What comes from a pipe is kept in TMPDIR meanwhile.

            Examples:
              handles import registry.ndjson
              zcat registry.ndjson.gz | handles import - --database-url postgresql://db.example/handles
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "Show no progress.") var quiet = false
    @Flag(help: "Take in an archive that does not say whether it is whole, as older programs wrote them.")
    var withoutEnd = false
    @Argument(help: "The file; - is the standard input.") var file: String

    func run() async throws {
        try await CommandEdge.withRegistry(database) { registry in
            var archive = ArchiveImport(registry, actor: CommandEdge.actor, hasEnd: !withoutEnd)
            var output = Output()
            var bar = ProgressBar(isShown: !quiet)
            func refuse(_ refusal: ArchiveImport.Refusal) throws {
                try output.line("\(refusal.subject.padded(to: 16)) refused: \(refusal.why)")
            }
            let file = try ArchiveFile(file)
            if !withoutEnd { try await check(file) }
            let lines = try await file.forEachLine(progress: { bar.show($0) }) { line, number in
                try await archive.take(line, number: number, refuse: refuse)
            }
            try await archive.finish(lines: lines, refuse: refuse)
            bar.clear()
            try output.flush()
            Output.note(
                "\(archive.counts.imported.grouped) names imported, \(archive.counts.already.grouped) there already, "
                    + "\(archive.counts.refused.grouped) refused; \(archive.counts.words.grouped) changes of reserved words imported"
            )
            if archive.counts.refused > 0 { throw CommandFault.refused }
        }
    }

    /// Sees that the archive is whole before anything of it is taken in.
    private func check(_ file: ArchiveFile) async throws {
        var check = ArchiveCheck()
        let lines = try await file.forEachLine { line, number in try check.take(line, number: number) }
        try check.finish(lines: lines)
    }
}
