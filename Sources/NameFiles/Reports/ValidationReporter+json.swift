import HandleRegistry
import HandleRules

extension ValidationReporter {
    /// Writes the judged rows as JSON, one object a line.
    func writeJSON(_ judged: JudgedChunk, _ verdicts: [RowVerdict], _ report: inout ChunkReport) {
        for row in verdicts.indices {
            let decided = judged.decision(row, policy)
            decided?.forEachReason { report.counts.note($0.code) }
            if verdicts[row] == .valid, style.valid == .left { continue }
            var json = JSONWriter()
            write(row, verdicts[row], decided, judged, to: &json)
            if verdicts[row] == .valid, style.valid == .apart {
                report.valid += json.bytes
                report.valid.append(UInt8(ascii: "\n"))
            } else if style.hasRepairs {
                let wantsRepair = verdicts[row] != .valid && verdicts[row] != .unreadable
                // The end of the object follows the repair.
                Spool.append(
                    json.bytes.dropLast(), wanted: wantsRepair ? judged.input(row) : nil, to: &report.rows)
            } else {
                report.rows += json.bytes
                report.rows.append(UInt8(ascii: "\n"))
            }
        }
    }

    private func write(
        _ index: Int, _ verdict: RowVerdict, _ decided: Decision?, _ judged: JudgedChunk, to json: inout JSONWriter
    ) {
        let row = judged.rows[index]
        json.object { json in
            json.member("line", judged.line(index))
            json.member("record", judged.record(index))
            json.member("verdict", verdict.code.description)
            // Invalid UTF-8 becomes U+FFFD.
            let input = String(decoding: judged.input(index), as: UTF8.self)
            if let decided {
                json.members(of: decided, about: input, suggestions: nil, for: .keyHolders)
            } else {
                json.member("input", input)
                let fault = judged.fault(index)
                json.key("fault")
                json.object { json in
                    json.member("code", fault.name)
                    json.member("message", fault.message)
                    switch fault {
                    case .record(.ragged(let fields, let expected)):
                        json.member("fields", fields)
                        json.member("expected", expected)
                    case .record(.tooLong(let bytes)): json.member("bytes", bytes)
                    default: break
                    }
                }
            }
            if row.duplicate != .none {
                json.member("duplicate", row.duplicate.code.description)
                json.member("first_line", row.firstLine)
            }
        }
    }
}
