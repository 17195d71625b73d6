/// Numbers of lines in an archive, by kind.
package struct ArchiveCounts: Sendable, Equatable {
    package var names = 0
    package var events = 0
    package var words = 0
    /// Locks of owners, and their ends.
    package var locks = 0
}

/// The last line of an archive. Without it the archive is truncated.
struct ArchiveEnd: Sendable, Equatable {
    let counts: ArchiveCounts
    /// The number of the feed's last event that the archive has; nil if the feed is off, or without history.
    var seq: Int64?
    /// SHA-256 of all earlier lines with their line ends, in hexadecimal: the output of `head -n -1 | sha256sum`.
    let hash: String

    /// The first bytes of the line, exactly as written.
    static let beginning = Array(#"{"kind":"end""#.utf8)
}

extension JSONWriter {
    mutating func write(_ end: ArchiveEnd) {
        object { json in
            json.member("kind", "end")
            json.member("words", end.counts.words)
            json.member("locks", end.counts.locks)
            json.member("names", end.counts.names)
            json.member("events", end.counts.events)
            if let seq = end.seq { json.member("seq", seq) }
            json.member("sha256", end.hash)
        }
    }
}

/// Reads an archive to its end and checks that it is complete, before any of it is imported.
package struct ArchiveCheck: ~Copyable {
    private var hash = RunningSHA256()
    private var end: ArchiveEnd?

    package init() {}

    /// - Parameter number: the line's number in the archive, from 1.
    /// - Throws: ``ArchiveImport/Fault``.
    package mutating func take(_ line: ArraySlice<UInt8>, number: Int) throws(ArchiveImport.Fault) {
        if number == 1, (try? ArchiveLine(line))?.isFirst != true { throw .noArchive }
        guard end == nil else {
            throw Self.fault(line: number, "it comes after the end of the archive: get the file again")
        }
        guard line.starts(with: ArchiveEnd.beginning) else {
            hash.add(line)
            hash.add(CollectionOfOne(UInt8(ascii: "\n")))
            return
        }
        guard case .end(let end)? = try? ArchiveLine(line) else {
            throw Self.fault(line: number, "it is not a valid end line: get the file again")
        }
        self.end = end
    }

    /// - Parameter lines: the number of lines in the archive.
    /// - Throws: ``ArchiveImport/Fault``.
    package consuming func finish(lines: Int) throws(ArchiveImport.Fault) {
        guard let end else {
            throw Self.fault(
                line: lines, "the archive is truncated here: get the whole file")
        }
        guard hash.end().bytes.hexadecimal == end.hash else {
            throw Self.fault(
                line: lines, "the hash doesn't match, so the archive was changed: get the file again")
        }
        // The first and the last line are not counted. The file may hold any numbers, so the sum wraps around instead
        // of trapping.
        guard end.counts.words &+ end.counts.locks &+ end.counts.names &+ end.counts.events == lines - 2 else {
            throw Self.fault(
                line: lines, "the counts of the end line don't match the archive: get the file again")
        }
    }

    private static func fault(line: Int, _ description: String) -> ArchiveImport.Fault {
        ArchiveImport.Fault(line: line, description: description, isBeforeAll: true)
    }
}
