import HandleRules

/// The content and format of the reports.
package struct ReportStyle: Sendable {
    package enum Format: Sendable { case csv, json }

    package var format: Format
    /// How valid rows are written.
    package var valid: Valid
    /// Whether CSV has names unchanged, without escapes and without a guard against formulas.
    package var isRaw: Bool
    /// Whether rows have a field for a repair.
    package var hasRepairs = false

    package enum Valid: Sendable { case left, apart, together }

    package init(format: Format, valid: Valid, isRaw: Bool = false) {
        self.format = format
        self.valid = valid
        self.isRaw = isRaw
    }

    /// First line of the report of valid rows.
    var validHeader: String {
        format == .csv ? "line,record,input,handle,display,duplicate,first_line\n" : ""
    }

    /// First line of the report of refused rows.
    var refusedHeader: String {
        guard format == .csv else { return "" }
        return "line,record,input,handle,display,verdict,reasons,duplicate,first_line"
            + (hasRepairs ? ",repair\n" : "\n")
    }

    /// The end of a row.
    var rowEnd: StaticString { format == .csv ? "\n" : "}\n" }

    /// The text that completes a spooled row: the repair, if there is one, and the end of the row.
    func ending(repair: DisplayHandle?) -> [UInt8] {
        switch format {
        case .csv: Array(",\(repair?.description ?? "")\n".utf8)
        case .json: Array((repair.map { ",\"repair\":\"\($0)\"}\n" } ?? "}\n").utf8)
        }
    }
}
