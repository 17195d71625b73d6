/// A row for COPY that is encoded once for many rows, which differ in a few fields only.
package struct RowTemplate: Sendable {
    /// The row without the fields that differ.
    fileprivate let bytes: [UInt8]
    /// The places in `bytes` of the fields that differ.
    fileprivate let places: [Int]

    /// - Parameters:
    ///   - rows: one row.
    ///   - fields: the indices of the fields that differ, in order.
    package init(_ rows: CopyRows, differingIn fields: [Int]) {
        precondition(rows.count == 1, "a template is one row")
        let row = rows.fields.bytes[rows.rowStart...]
        var bytes: [UInt8] = []
        var places: [Int] = []
        var (kept, next, field) = (row.startIndex, row.startIndex + 2, 0)
        while next < row.endIndex {
            let length = row[next..<next + 4].reduce(Int32(0)) { $0 << 8 | Int32($1) }
            let end = next + 4 + max(0, Int(length))
            if fields.contains(field) {
                bytes += row[kept..<next]
                places.append(bytes.count)
                kept = end
            }
            (next, field) = (end, field + 1)
        }
        (self.bytes, self.places) = (bytes + row[kept...], places)
    }
}

extension CopyRows {
    /// Adds a row like the template.
    /// - Parameter write: writes the bytes of a field that differs, or returns false for NULL; called with its index among
    ///   these.
    package mutating func add(_ template: RowTemplate, _ write: (_ field: Int, inout [UInt8]) -> Bool) {
        count += 1
        template.bytes.withUnsafeBufferPointer { kept in
            var start = 0
            for field in template.places.indices {
                let place = template.places[field]
                fields.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: kept[start..<place]))
                fields.bytes.appendOptionalField { write(field, &$0) }
                start = place
            }
            fields.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: kept[start...]))
        }
    }
}
