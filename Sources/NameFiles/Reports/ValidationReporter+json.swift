import HandleRegistry
import HandleRules

extension ValidationReporter {
    /// Writes a judged row as a JSON object, without its end: the brace and the line end.
    func writeJSON(
        _ index: Int, _ verdict: RowVerdict, _ decided: Decision?, _ judged: JudgedChunk, to bytes: inout [UInt8]
    ) {
        let row = judged.rows[index]
        var json = JSONWriter()
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
                json.key("fault")
                write(judged.fault(index), to: &json)
            }
            if row.duplicate != .none {
                json.member("duplicate", row.duplicate.code.description)
                json.member("first_line", row.firstLine)
            }
        }
        bytes += json.bytes[..<(json.bytes.count - 1)]
    }

    private func write(_ fault: RecordFault, to json: inout JSONWriter) {
        json.object { json in
            json.member("code", fault.code)
            json.member("message", fault.message)
            switch fault {
            case .ragged(let fields, let expected):
                json.member("fields", fields)
                json.member("expected", expected)
            case .tooLong(let bytes): json.member("bytes", bytes)
            default: break
            }
        }
    }
}
