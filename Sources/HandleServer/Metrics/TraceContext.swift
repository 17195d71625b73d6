import HTTPTypes
import Hummingbird

/// The position of a request in a distributed trace: W3C Trace Context, `traceparent` version 00.
struct TraceContext: Sendable {
    /// 32 hexadecimal digits, not all 0.
    let trace: Substring
    /// The client's span: 16 hexadecimal digits, not all 0.
    let parent: Substring
    let flags: Substring
    /// The span of this service.
    let span: String

    /// Nil when the request has no `traceparent`, or an invalid one.
    init?(_ request: Request) {
        let values = request.headers[values: .traceParent]
        guard values.count == 1, let value = values.first else { return nil }
        let parts = value.split(separator: "-", omittingEmptySubsequences: false)
        // Later versions may have more fields; the first four are the same.
        guard parts.count >= 4, parts[0] != "00" || parts.count == 4, parts[0] != "ff",
            Self.isHex(parts[0], 2), Self.isHex(parts[1], 32), Self.isHex(parts[2], 16), Self.isHex(parts[3], 2),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
        else { return nil }
        (trace, parent, flags) = (parts[1], parts[2], parts[3])
        span = UInt64.random(in: 1 ... .max).hexadecimal
    }

    /// The header `traceparent` with the same trace and our span.
    var header: String { "00-\(trace)-\(span)-\(flags)" }

    private static func isHex(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
