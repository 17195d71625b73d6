/// The layout of a file, detected before its first record: its format, and the positions of the chosen columns.
package struct Layout: Sendable {
    package let format: Format
    /// The fields of the header, without surrounding blanks; nil when there is no header.
    package let header: [String]?
    /// The position of each chosen column among the fields, from 0; ``noColumn`` for a missing optional column. For
    /// JSON, in which fields have no position, 0, 1, 2 ….
    package let columns: [Int]
    /// The position of a missing column.
    package static let noColumn = -1
    /// The name of each chosen column: its name in the header, its path in JSON, or else its number.
    package let names: [String]
    /// The expected number of fields: that of the header, or of the first record without one.
    package let fields: Int
    /// The maximum bytes of a record, without its line end.
    package let longestRecord: Int

    /// For each field, the chosen column that it belongs to, or -1; fields past the end belong to none.
    let targets: [Int]
    /// Columns that were chosen twice: the later one is a copy of the earlier.
    let copies: [(from: Int, to: Int)]
    /// The names as bytes, for JSON.
    let paths: [[UInt8]]

    /// For JSON, whether the field of a column may be missing in an object.
    let isOptional: [Bool]
    /// For JSON, whether a column contains ids, which may be integers.
    let hasIDs: [Bool]

    init(
        format: Format, header: [String]? = nil, columns: [Int] = [0], names: [String] = ["1"], fields: Int = 1,
        isOptional: [Bool]? = nil, hasIDs: [Bool]? = nil, longestRecord: Int
    ) {
        self.isOptional = isOptional ?? columns.map { _ in false }
        self.hasIDs = hasIDs ?? columns.map { _ in false }
        self.format = format
        self.header = header
        self.columns = columns
        self.names = names
        self.fields = fields
        self.longestRecord = longestRecord
        paths = names.map { Array($0.utf8) }
        var targets = [Int](repeating: -1, count: (columns.max() ?? -1) + 1)
        var copies: [(from: Int, to: Int)] = []
        for (column, field) in columns.enumerated() where field != Self.noColumn {
            if targets[field] < 0 { targets[field] = column } else { copies.append((targets[field], column)) }
        }
        self.targets = targets
        self.copies = copies
    }
}
