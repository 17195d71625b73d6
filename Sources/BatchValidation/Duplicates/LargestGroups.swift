package import HandleCore

/// The names with the most duplicates.
package struct LargestGroups: Sendable {
    package struct Group: Sendable, Equatable {
        /// One of its names, as spelled.
        package var name: PackedASCII
        /// The line of its first row.
        package let line: Int
        /// Its rows, the first included.
        package var rows: Int
        let id: Int
    }

    /// How many are kept.
    static let most = 10

    private var groups: [Group] = []
    /// Exact counts of groups beyond what a byte holds.
    private var large: [Int: Int] = [:]

    /// The largest first, equal ones in the order of the file.
    package var largestFirst: [Group] { groups.sorted { ($1.rows, $0.line) < ($0.rows, $1.line) } }

    /// Whether a group with so many rows besides the first may be one of the largest.
    @inline(__always)
    func mayHave(besides count: UInt8) -> Bool { Int(count) + 1 > least || count == .max }

    /// Notes one more row of a group.
    /// - Parameter count: the rows besides the first, or 255 when there are as many or more.
    mutating func note(_ name: PackedASCII, line: Int, id: Int, besides count: UInt8) {
        var rows = Int(count) + 1
        if count == .max {
            rows = (large[id] ?? Int(UInt8.max)) + 1
            large[id] = rows
            if rows <= least { return }
        }
        if let index = groups.firstIndex(where: { $0.id == id }) {
            groups[index].rows = rows
        } else {
            if groups.count == Self.most, let smallest = groups.indices.min(by: { isLess($0, $1) }) {
                groups.remove(at: smallest)
            }
            groups.append(Group(name: name, line: line, rows: rows, id: id))
        }
        least = groups.count < Self.most ? 0 : groups.map(\.rows).min() ?? 0
    }

    /// The rows of the smallest group that is kept, once there are enough.
    private var least = 0

    /// Of equal groups the one that began later goes first.
    private func isLess(_ left: Int, _ right: Int) -> Bool {
        (groups[left].rows, groups[right].line) < (groups[right].rows, groups[left].line)
    }
}
