/// What was found out about a file before its first record: how it is written, and where the chosen columns are.
package struct Layout: Sendable {
    package let format: Format
    /// The fields of the header, without the blanks around them; nil when there is no header.
    package let header: [String]?
    /// The place of each chosen column among the fields, from 0; ``noColumn`` for one that need not be there and is not.
    /// For JSON, whose fields have no place, 0, 1, 2 ….
    package let columns: [Int]
    /// In place of a column.
    package static let noColumn = -1
    /// What each chosen column is called: its name in the header, its path in JSON, its number where there is neither.
    package let names: [String]
    /// How many fields a record should have: as many as the header, or the first record without one.
    package let fields: Int
    /// The most bytes of a record, without its line end.
    package let longestRecord: Int

    /// For each field the chosen column that it goes to, -1 for none; what is past the end goes to none.
    let targets: [Int]
    /// The columns that were chosen twice: the later one is a copy of the earlier.
    let copies: [(from: Int, to: Int)]
    /// The names as bytes, for JSON.
    let paths: [[UInt8]]

    /// For JSON, whether an object may be without the field of a column.
    let isOptional: [Bool]

    init(
        format: Format, header: [String]? = nil, columns: [Int] = [0], names: [String] = ["1"], fields: Int = 1,
        isOptional: [Bool]? = nil, longestRecord: Int
    ) {
        self.isOptional = isOptional ?? columns.map { _ in false }
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
