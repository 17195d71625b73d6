import Logging
import Synchronization

/// The ids that identify a request in logs and traces.
struct RequestIDs: Sendable {
    let id: String
    let trace: TraceContext?

    /// 32 hexadecimal digits: a random half for this process, and a counter.
    static func newID() -> String { process + count.wrappingAdd(1, ordering: .relaxed).newValue.hexadecimal }

    private static let process = UInt64.random(in: .min ... .max).hexadecimal
    private static let count = Atomic<UInt64>(0)

    /// Adds the ids to the metadata of a log line about the request.
    func metadata(_ more: Logger.Metadata) -> Logger.Metadata {
        var metadata = more
        metadata["request_id"] = "\(id)"
        if let trace {
            metadata["trace_id"] = "\(trace.trace)"
            metadata["span_id"] = "\(trace.span)"
            metadata["parent_id"] = "\(trace.parent)"
        }
        return metadata
    }
}

extension UInt64 {
    /// 16 hexadecimal digits.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
