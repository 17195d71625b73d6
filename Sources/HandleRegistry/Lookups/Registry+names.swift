package import HandleRules
import HandleWords
import Postgres

extension Registry {
    /// Handles of a page. Its queries take a fraction of a second with every filter.
    private static let namesInPage = 10_000
    /// Sorts after every handle: no handle has a character this high.
    static let behindAll = "~"

    /// The handles in use that a filter lets through, in alphabetical order. Each half of a page is from the moment when
    /// it was read.
    /// - Parameters:
    ///   - after: the handle after which to begin.
    ///   - page: called with the records of a page, which may be empty; returns false to stop.
    /// - Throws: `PostgresError`; errors of `page`.
    package func names(
        matching filter: NameFilter, after: Handle? = nil, _ page: ([Record]) throws -> Bool
    ) async throws {
        let end = filter.prefix + Self.behindAll
        var after = after?.description ?? ""
        while true {
            try Task.checkCancellation()
            let (records, last) = try await namesPage(filter, after: after, before: end)
            guard try page(records), let last else { return }
            after = last
        }
    }

    /// - Returns: the records of a page, and the start of the next page, if there is one.
    private func namesPage(
        _ filter: NameFilter, after: String, before end: String
    ) async throws -> ([Record], next: String?) {
        let size = Self.namesInPage
        if let owner = filter.owner {
            let page = OwnersNamesPage(after: after, end: end, filter: filter, owner: owner, size: Int64(size))
            let records = try await pool.run(page)
            return (records, records.count == size ? records.last?.handle.description : nil)
        }
        let start = max(after, Self.justBefore(filter.prefix))
        let handles = try await pool.run(HandlesPage(after: start, end: end, size: size))
        if handles.isEmpty { return ([], nil) }
        let isFull = handles.count == size
        // The halves of a full page are read beside each other: the look-up of the keys is the slowest part.
        let middle = isFull ? size / 2 : handles.count
        async let first = pool.run(NamesPage(handles: Array(handles[..<middle]), filter: filter))
        async let second = isFull ? pool.run(NamesPage(handles: Array(handles[middle...]), filter: filter)) : []
        return (try await first + second, isFull ? handles.last?.description : nil)
    }

    /// A text that sorts directly before the handles that begin with `prefix`: no handle sorts between.
    private static func justBefore(_ prefix: String) -> String {
        guard let last = prefix.utf8.last else { return "" }
        return prefix.dropLast() + String(UnicodeScalar(last - 1)) + behindAll
    }

    /// The look-alikes of a handle that are in use or reserved, without those that are kept for an owner or the operator.
    /// - Throws: `PostgresError`
    package func lookalikes(of handle: Handle, besidesThoseOf owner: Owner) async throws -> [Record] {
        let caller = Decision.Caller(owner: owner, mark: try await writes.scope().mark(of: owner))
        return try await lookalikes(of: handle).filter { record in
            NameInUse(record).map { !caller.shares($0, to: .assign) } ?? false
        }
    }

    /// The handles in use or reserved that look like `handle`, in alphabetical order.
    /// - Throws: `PostgresError`
    package func lookalikes(of handle: Handle) async throws -> [Record] {
        try await pool.run(LookupRecords(handles: [handle])).filter { $0.handle != handle && !$0.isFree }
            .sorted { $0.handle < $1.handle }
    }
}
