package import HandleCore
import Postgres

extension Registry {
    /// Names looked at in one query: done within a fraction of a second, whatever the filter.
    private static let namesInPage: Int64 = 5000
    /// Behind every handle: no letter of one is so far behind.
    private static let behindAll = "~"

    /// The names in use that a filter lets through, in alphabetical order, page by page. Each page is as of the moment
    /// when it was read.
    /// - Parameters:
    ///   - after: the name behind which to begin.
    ///   - page: is given the names of a page, which may be none, and says whether to go on.
    /// - Throws: `PostgresError`; whatever `page` throws.
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

    /// - Returns: the names of a page, and where the next one begins, if there is one.
    private func namesPage(
        _ filter: NameFilter, after: String, before end: String
    ) async throws -> ([Record], next: String?) {
        let size = Self.namesInPage
        if let owner = filter.owner {
            let page = OwnersNamesPage(after: after, end: end, filter: filter, owner: owner, size: size)
            let records = try await pool.run(page)
            return (records, records.count == size ? records.last?.handle.description : nil)
        }
        let start = max(after, Self.justBefore(filter.prefix))
        let last = try await pool.run(NamesPageEnd(after: start, end: end, size: size)).first
        return (try await pool.run(NamesPage(after: start, last: last ?? end, filter: filter)), last)
    }

    /// A text with no handle between it and those that begin with `prefix`.
    private static func justBefore(_ prefix: String) -> String {
        guard let last = prefix.utf8.last else { return "" }
        return prefix.dropLast() + String(UnicodeScalar(last - 1)) + behindAll
    }

    /// The names in use or reserved that look like `handle`, in alphabetical order.
    /// - Throws: `PostgresError`
    package func lookalikes(of handle: Handle) async throws -> [Record] {
        guard let entry = try await pool.run(LookupLookalike(key: LookalikeKey(handle))).first else { return [] }
        var handles = Set(entry.others(than: handle))
        if let protecting = entry.protecting, protecting != handle { handles.insert(protecting) }
        guard !handles.isEmpty else { return [] }
        return try await pool.run(LookupMany(handles: handles.sorted())).filter { !$0.isFree }
            .sorted { $0.handle < $1.handle }
    }
}
