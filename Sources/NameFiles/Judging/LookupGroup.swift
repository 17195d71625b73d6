import HandleRegistry

/// Chunks that are looked up in the registry together, so that each query has enough names.
struct LookupGroup: Sendable {
    private(set) var chunks: [(number: Int, chunk: JudgedChunk)] = []
    private(set) var names = 0

    mutating func add(_ chunk: JudgedChunk, number: Int) {
        chunks.append((number, chunk))
        names += chunk.names.count
    }

    /// The chunks, with what the registry knows about their names.
    func lookedUp(in lookup: BulkLookup) async throws -> [(number: Int, chunk: JudgedChunk)] {
        var chunks = chunks
        // Each call has the maximum number of names, across the boundaries of chunks.
        var parts: [(chunk: Int, names: Range<Int>)] = []
        var room = BulkLookup.longest
        func ask() async throws {
            let handles = parts.flatMap { chunks[$0.chunk].chunk.handles(of: chunks[$0.chunk].chunk.names[$0.names]) }
            var found = try await lookup.known(about: handles)[...]
            for part in parts {
                let names = chunks[part.chunk].chunk.names[part.names]
                chunks[part.chunk].chunk.take(found.prefix(names.count), about: names)
                found = found.dropFirst(names.count)
            }
            (parts, room) = ([], BulkLookup.longest)
        }
        for index in chunks.indices {
            var names = chunks[index].chunk.names.indices
            while !names.isEmpty {
                let part = names.prefix(room)
                parts.append((index, part.startIndex..<part.endIndex))
                room -= part.count
                names = names.dropFirst(part.count)
                if room == 0 { try await ask() }
            }
        }
        try await ask()
        return chunks
    }
}
