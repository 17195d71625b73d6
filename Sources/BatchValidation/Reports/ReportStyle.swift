import HandleCore

/// What is written of the rows, and how.
package struct ReportStyle: Sendable {
    package enum Format: Sendable { case csv, json }

    package var format: Format
    /// Whether valid rows are written: to a report of their own, or among the others.
    package var valid: Valid
    /// Whether names go into CSV as they are, without a guard against formulas and without escapes.
    package var isRaw: Bool
    /// Whether rows have a place for a repair.
    package var hasRepairs = false

    package enum Valid: Sendable { case left, apart, together }

    package init(format: Format, valid: Valid, isRaw: Bool = false) {
        self.format = format
        self.valid = valid
        self.isRaw = isRaw
    }

    /// The first line of the report of valid rows.
    var validHeader: String {
        format == .csv ? "line,record,input,handle,display,duplicate,first_line\n" : ""
    }

    /// The first line of the report of refused rows.
    var refusedHeader: String {
        guard format == .csv else { return "" }
        return "line,record,input,handle,display,verdict,reasons,duplicate,first_line"
            + (hasRepairs ? ",repair\n" : "\n")
    }

    /// What follows the text of a row in the spool: the repair if there is one, and the end of the row.
    func ending(repair: DisplayHandle?) -> [UInt8] {
        var bytes: [UInt8] = []
        switch format {
        case .csv:
            bytes.append(UInt8(ascii: ","))
            if let repair { bytes.add(repair.letters) }
        case .json:
            if let repair {
                bytes.add(text: ",\"repair\":\"")
                bytes.add(repair.letters)
                bytes.append(UInt8(ascii: "\""))
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }
}
