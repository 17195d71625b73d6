/// The content and format of the reports of a validation.
package struct ReportStyle: Sendable {
    package enum Format: Sendable { case csv, json }

    package var format: Format
    /// How valid rows are written.
    package var valid: Valid
    /// Whether CSV has names unchanged, without escapes and without a guard against formulas.
    package var isRaw: Bool
    /// Whether rows have a field for a repair.
    package var hasRepairs = false
    /// Whether the summary gets examples for a page.
    package var hasExamples = false

    package enum Valid: Sendable { case left, apart, together }

    package init(format: Format, valid: Valid, isRaw: Bool = false) {
        self.format = format
        self.valid = valid
        self.isRaw = isRaw
    }
}
