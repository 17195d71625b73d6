import Logging
import Synchronization

/// The ids that identify a request in logs and traces.
struct RequestIDs: Sendable {
    let id: String
    let trace: TraceContext?

    /// 32 hexadecimal digits: a random half for this process, and a counter.
    static func newID() -> String {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        return String(unsafeUninitializedCapacity: 32) { bytes in
            for (place, value) in [process, number].enumerated() {
                for digit in 0..<16 {
                    let nibble = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * digit)) & 15
                    bytes[place * 16 + digit] =
                        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
                }
            }
            return 32
        }
    }

    private static let process = UInt64.random(in: .min ... .max)
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
