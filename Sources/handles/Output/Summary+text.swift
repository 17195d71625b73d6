import HandleRules
import NameFiles

extension Summary {
    /// The summary for people.
    /// - Parameters:
    ///   - change: what was done with the names, such as `claimed`; nil for a validation.
    ///   - isDryRun: whether it would only be done.
    func text(file: String, change: String? = nil, isDryRun: Bool = false) -> String {
        let rows = "\(counts.rows.grouped) \(counts.rows == 1 ? "row" : "rows")"
        let totals = totals(change, isDryRun: isDryRun)
        var lines = ["\(rows): \(totals) (\(rowsPerSecond.grouped) rows a second)"] + verdictLines
        if counts.repairs > 0 {
            let repairs = counts.repairs.grouped
            lines.append(
                change == nil
                    ? "Refused names with a repair: \(repairs)."
                    : "Repairs in place of names: \(repairs), see claimed_as.")
        }
        lines += duplicateLines + remarks
        switch end {
        case .complete: break
        case .stopped: lines.append("Stopped at the first refused row (--fail-fast).")
        case .interrupted: lines.append("Interrupted: these are the results so far.")
        case .failed(let error):
            lines.append(
                error is RecordsError
                    ? "The rest could not be read: these are the results so far."
                    : "The run has failed: these are the results so far.")
        }
        if endsInsideLine, case .complete = end {
            lines.append(
                "The last line has no line end: if \(TextFile.name(of: file)) was cut, its last name is too.")
        }
        return lines.joined(separator: "\n")
    }

    /// `3 reserved, 1 already reserved, 2 refused`
    func totals(_ change: String?, isDryRun: Bool) -> String {
        guard let change else { return "\(counts[.valid].grouped) valid, \(counts.refused.grouped) refused" }
        return "\(counts[.done].grouped) \(isDryRun ? "would be " : "")\(change), "
            + "\(counts[.already].grouped) already \(change), \(counts.refused.grouped) refused"
    }

    /// The refused rows by verdict, reason and fault.
    private var verdictLines: [String] {
        var lines: [String] = []
        for verdict in RowVerdict.allCases
        where ![.valid, .done, .already].contains(verdict) && counts[verdict] > 0 {
            lines.append("  \(verdict.code.description.padded(to: 12)) \(counts[verdict].grouped)")
            if verdict == .invalid || verdict == .unavailable {
                for code in Reason.Code.allCases where code.isAboutForm == (verdict == .invalid) && counts[code] > 0 {
                    lines.append("    \(code.rawValue.padded(to: 18)) \(counts[code].grouped)")
                }
            }
            if verdict == .unreadable {
                for (name, count) in counts.faults.sorted(by: { $0.key < $1.key }) {
                    lines.append("    \(name.padded(to: 18)) \(count.grouped)")
                }
            }
        }
        return lines
    }

    private var duplicateLines: [String] {
        let kinds = Duplicate.allCases.filter { $0 != .none && counts[$0] > 0 }
        guard !kinds.isEmpty else { return [] }
        let all = kinds.map { "\(counts[$0].grouped) \($0.sentence)" }.joined(separator: ", ")
        let lines = groups.map { group in
            "  \(group.name.description.padded(to: 16)) \(group.rows.grouped) rows, the first in line \(group.line)"
        }
        return ["Rows like an earlier one: \(all).", "The largest groups:"] + lines
    }
}

extension Duplicate {
    fileprivate var sentence: String {
        switch self {
        case .none: ""
        case .exact: "the same"
        case .capitals: "in other capitals"
        case .lookalike: "that look alike"
        }
    }
}
