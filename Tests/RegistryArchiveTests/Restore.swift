import HandleRegistry
import RegistryArchive

/// Imports the lines of an archive.
/// - Returns: the counts, and the handles and words that were refused.
func restore(
    _ lines: [String], into registry: Registry
) async throws -> (counts: ArchiveImport.Counts, refused: [String]) {
    // A part of an archive has no `end` line.
    let hasEnd = lines.last?.contains(#""kind":"end""#) == true
    var archive = ArchiveImport(registry, actor: "cli:test", hasEnd: hasEnd)
    var refused: [String] = []
    for (index, line) in lines.enumerated() {
        try await archive.take(Array(line.utf8)[...], number: index + 1) { refused.append($0.subject) }
    }
    try await archive.finish(lines: lines.count) { refused.append($0.subject) }
    return (archive.counts, refused)
}
