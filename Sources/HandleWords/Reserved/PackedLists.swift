import HandleRules

/// Lists of values by packed keys, built once.
struct PackedLists<Value: Sendable>: Sendable {
    /// The index in `values` of the first one of each key.
    private let table: PackedTable
    /// The values of each key in their order; nil ends them.
    private let values: [Value?]

    init(_ lists: [PackedASCII: [Value]]) {
        var values: [Value?] = []
        table = PackedTable(
            lists.map { key, list in
                defer { values += list + [nil] }
                return (key, values.count)
            })
        self.values = values
    }

    /// Whether a key may have values: false for nearly all that have none.
    @inline(__always)
    func mayContain(_ key: PackedASCII) -> Bool { table.mayContain(key) }

    /// Whether a key has values.
    @inline(__always)
    func contains(_ key: PackedASCII) -> Bool { table[key] != nil }

    /// Visits the values of a key in their order.
    /// - Parameter isLast: called for each one; returns true to end the visit.
    /// - Returns: the last value; nil if the visit was not ended.
    @inline(__always) @discardableResult
    func visit(_ key: PackedASCII, until isLast: (Value) -> Bool) -> Value? {
        guard var index = table[key] else { return nil }
        while let value = values[index] {
            if isLast(value) { return value }
            index += 1
        }
        return nil
    }
}
