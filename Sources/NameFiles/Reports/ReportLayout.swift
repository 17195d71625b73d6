/// The columns of a report about changes, and its words for results.
struct ReportLayout: Sendable {
    enum Column: String, Sendable {
        case line, record, input, owner, handle, display, result, details, reasons, original, lookalikes, fault, state
        case firstLine = "first_line"
    }

    var csv: [Column] = []
    var json: [Column]
    var text: [Column] = []
    /// The result of a row that is done now.
    let done: StaticString
    /// The result of a row that was done before; nil to leave such rows out.
    let already: StaticString?

    /// Nil for a row that is left out.
    func code(of verdict: RowVerdict) -> StaticString? {
        switch verdict {
        case .done: done
        case .already: already
        case .invalid, .unavailable: "refused"
        case .valid, .duplicate, .unreadable, .changed: verdict.code
        }
    }

    static let claims = ReportLayout(
        csv: [.line, .record, .input, .owner, .handle, .display, .result, .details],
        json: [.line, .record, .input, .owner, .handle, .display, .result, .reasons, .firstLine, .fault],
        done: "claimed", already: "already")

    static let reservations = ReportLayout(
        csv: [.line, .record, .input, .handle, .display, .result, .details],
        json: [
            .line, .record, .input, .handle, .display, .result, .reasons, .original, .lookalikes, .firstLine, .fault,
        ],
        text: [.input, .result, .details], done: "reserved", already: "already_reserved")

    static let releases = ReportLayout(
        csv: [.handle, .result], json: [.handle, .result, .state], text: [.handle, .state], done: "released",
        already: nil)
}
