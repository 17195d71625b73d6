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

            Examples:
              handles import registry.ndjson
              zcat registry.ndjson.gz | handles import - --database-url postgresql://db.example/handles
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "Show no progress.") var quiet = false
    @Argument(help: "The file; - is the standard input.") var file: String

    func run() async throws {
        try await CommandEdge.withRegistry(database) { registry in
            var archive = ArchiveImport(registry, actor: CommandEdge.actor)
            var output = Output()
            var bar = ProgressBar(isShown: !quiet)
            func refuse(_ refusal: ArchiveImport.Refusal) throws {
                try output.line("\(refusal.subject.padded(to: 16)) refused: \(refusal.why)")
            }
            let reader = try ChunkReader(path: file, selection: Selection(format: .lines))
            var records = Records()
            var lines = 0
            while var chunk = try reader.next() {
                try Task.checkCancellation()
                records.parse(&chunk, reader.layout)
                for record in 0..<records.count {
                    let line = lines + records.line(record) + 1
                    guard records.fault(record) == nil, let bytes = records.bytes(of: record, in: chunk) else {
                        throw CommandFault(
                            .unreadableData,
                            "line \(line): \(records.fault(record)?.message ?? "") Get the whole file again.")
                    }
                    try await archive.take(bytes, number: line, refuse: refuse)
                }
                lines += records.lineCount
                let (position, size) = reader.progress
                bar.show(Progress(rows: lines, position: position, size: size))
            }
            guard lines > 0 else { throw CommandFault(.unreadableData, "\(reader.name) is empty, so it is no export") }
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
}
