import HandleRegistry
import Hummingbird

extension Response {
    /// A response with its complete body, so that it can be stored.
    struct Plain: Sendable {
        let status: HTTPResponse.Status
        var headers: HTTPFields
        let body: [UInt8]

        /// A JSON response that must not be cached.
        static func json(
            _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], _ write: (inout JSONWriter) -> Void
        ) -> Plain {
            var json = JSONWriter()
            write(&json)
            return Plain(status: status, headers: usualHeaders + headers, body: json.bytes)
        }

        /// The record of a handle, with its version as `ETag`.
        static func record(
            _ record: Record, _ status: HTTPResponse.Status = .ok, for audience: Audience = .keyHolders
        ) -> Plain {
            .json(status, headers: [.eTag: "\"\(record.version)\""]) { $0.write(record, for: audience) }
        }

        /// An old handle that leads to another one, with the old one's version as `ETag`.
        static func moved(_ old: Record, to target: Record, for audience: Audience) -> Plain {
            .json(headers: [.eTag: "\"\(old.version)\""]) { $0.write(moved: old, to: target, for: audience) }
        }

        private static let usualHeaders: HTTPFields = [
            .contentType: "application/json", .cacheControl: "no-store",
        ]

        /// A response without a body.
        static let nothing = Plain(status: .noContent, headers: [.cacheControl: "no-store"], body: [])
    }

    init(_ plain: Plain) {
        self.init(
            status: plain.status, headers: plain.headers,
            body: plain.body.isEmpty ? .init() : .init(byteBuffer: ByteBuffer(bytes: plain.body)))
    }

    /// A JSON response that must not be cached.
    static func json(
        _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], _ write: (inout JSONWriter) -> Void
    ) -> Response {
        Response(.json(status, headers: headers, write))
    }

    /// A plain text response.
    static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}

extension HTTPFields {
    /// The header `Age` with the maximum age of an answer in seconds; no header for a current answer.
    static func age(asOf: ContinuousClock.Instant?, at now: ContinuousClock.Instant = .now) -> HTTPFields {
        guard let asOf else { return [:] }
        return [.age: String(Int((asOf.duration(to: now) / .seconds(1)).rounded(.up)))]
    }

    static func + (one: HTTPFields, more: HTTPFields) -> HTTPFields {
        var all = one
        for field in more { all.append(field) }
        return all
    }
}
