package import HandleRules

/// The names with the most duplicates.
package struct LargestGroups: Sendable {
    package struct Group: Sendable, Equatable {
        /// A name of the group, as spelled.
        package var name: PackedASCII
        /// The line of the group's first row.
        package let line: Int
        /// Number of rows, including the first.
        package var rows: Int
        let id: Int
    }

    /// Number of groups that are kept.
    static let most = 10

    private var groups: [Group] = []
    /// Exact sizes of groups that are too large for a one-byte count.
    private var large: [Int: Int] = [:]

    /// Largest first; groups of equal size in the order of the file.
    package var largestFirst: [Group] { groups.sorted { ($1.rows, $0.line) < ($0.rows, $1.line) } }

    /// Whether a group with `count` rows besides the first may be one of the largest.
    @inline(__always)
    func mayHave(besides count: UInt8) -> Bool { Int(count) + 1 > least || count == .max }

    /// Adds a row to a group.
    /// - Parameter count: rows of the group besides the first; 255 means 255 or more.
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

    /// Size of the smallest group that is kept; 0 until ``most`` groups are kept.
    private var least = 0

    /// Among groups of equal size, the one that began later is removed first.
    private func isLess(_ left: Int, _ right: Int) -> Bool {
        (groups[left].rows, groups[right].line) < (groups[right].rows, groups[left].line)
    }
}
