import HandleRegistry
import Hummingbird

/// A static response that caches may store and revalidate by its `ETag`.
struct Page: Sendable {
    private let bytes: ByteBuffer
    private let headers: HTTPFields
    private let tag: String

    /// Long enough to save requests, short enough to deliver a new version soon.
    private static let seconds = 300

    init(_ bytes: [UInt8], type: String) {
        self.bytes = ByteBuffer(bytes: bytes)
        tag = "\"\(Array(SHA256(bytes).bytes.prefix(12)).hexadecimal)\""
        headers = [.contentType: type, .eTag: tag, .cacheControl: "public, max-age=\(Self.seconds)"]
    }

    /// The page, or 304 if the client has it already (RFC 9110, 13.1.2).
    func answer(to request: Request) -> Response {
        guard !isKnown(to: request) else {
            var headers = headers
            headers[.contentType] = nil
            return Response(status: .notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: bytes))
    }

    /// Whether `If-None-Match` has the page's tag, by weak comparison: the prefix `W/` is ignored.
    private func isKnown(to request: Request) -> Bool {
        request.headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.contains { field in
            let known = field.split { $0 == " " || $0 == "\t" }
            return known == ["*"] || known == [tag[...]] || known == ["W/" + tag]
        }
    }
}
