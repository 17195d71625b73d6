import HandleRegistry

/// Imports the lines of an archive, with an `end` line if they have none.
/// - Returns: the counts, and the handles and words that were refused.
func restore(
    _ lines: [String], into registry: Registry, isDryRun: Bool = false
) async throws -> (counts: ArchiveImport.Counts, refused: [String]) {
    var lines = lines
    if lines.last?.contains(#""kind":"end""#) != true { lines.append(end(of: lines)) }
    return try await take(lines, into: registry, isDryRun: isDryRun)
}

/// The same for the lines as they are.
@discardableResult
func take(
    _ lines: [String], into registry: Registry, isDryRun: Bool = false
) async throws -> (counts: ArchiveImport.Counts, refused: [String]) {
    var archive = ArchiveImport(registry, actor: "cli:test", isDryRun: isDryRun)
    var refused: [String] = []
    for (index, line) in lines.enumerated() {
        try await archive.take(Array(line.utf8)[...], number: index + 1) { refused.append($0.subject) }
    }
    try await archive.finish(lines: lines.count) { refused.append($0.subject) }
    return (archive.counts, refused)
}

/// An `end` line with the counts of `lines`, and a hash that only `ArchiveCheck` would refuse.
private func end(of lines: [String]) -> String {
    func count(_ kind: String) -> Int { lines.count { $0.contains(#""kind":"\#(kind)""#) } }
    let counts =
        #""words":\#(count("word")),"locks":\#(count("lock")),"names":\#(count("name")),"events":\#(count("event"))"#
    return #"{"kind":"end",\#(counts),"sha256":"\#(String(repeating: "0", count: 64))"}"#
}
