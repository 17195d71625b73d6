import Foundation
import HTTPLoading

/// A call before a credential is added.
struct Call {
    var method = "GET"
    /// Begins with a slash; its parts are percent-encoded.
    let path: String
    var query: [(name: String, value: String)] = []
    var body: Data?
    /// Set for every write.
    var idempotencyKey: String?
    /// The version that the name must have.
    var version: Int?
    /// The statuses of success. No other 2xx is a response of the service.
    var success: Set<Int> = [200]
    /// The media type of a response that is not a stream.
    var accept = "application/json"
    var isStream = false

    /// Encodes one part of a path, which may have any character.
    static func encode(_ part: String) -> String { FormBody.encode(part) }

    /// A JSON body. Members that are nil are left out.
    static func json(_ members: [String: (any Encodable & Sendable)?]) throws(HandleClientError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(members.compactMapValues { $0.map(Member.init) })
        } catch {
            throw .invalidCall("the call can't be written as JSON: \(error)")
        }
    }

    private struct Member: Encodable {
        let value: any Encodable & Sendable
        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }

    func request(base: URL, token: String?) throws(HandleClientError) -> TransportRequest {
        guard let scheme = base.scheme?.lowercased(), ["https", "http"].contains(scheme), base.host() != nil,
            base.query() == nil, base.fragment() == nil
        else {
            throw .invalidCall(
                "the base of the client is not the address of a service: use one like https://handles.example")
        }
        var text = base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        text += path
        if !query.isEmpty { text += "?" + FormBody(query).text }
        // HTTP clients would resolve these.
        guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw .invalidCall(
                "'.' and '..' can't be a part of an address; no handle is, and an owner needs another id")
        }
        guard let url = URL(string: text) else { throw .invalidCall("the address of the call can't be read: \(text)") }
        var fields = [(name: "Accept", value: isStream ? "text/event-stream" : accept)]
        if let token {
            // A line break would begin another field.
            guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !token.isEmpty else {
                throw .invalidCall("a key or token has printable ASCII characters without spaces")
            }
            fields.append((name: "Authorization", value: "Bearer \(token)"))
        }
        if body != nil { fields.append((name: "Content-Type", value: "application/json")) }
        if let idempotencyKey {
            guard (1...255).contains(idempotencyKey.utf8.count),
                idempotencyKey.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { throw .invalidCall("an idempotency key has 1 to 255 printable ASCII characters without spaces") }
            fields.append((name: "Idempotency-Key", value: idempotencyKey))
        }
        if let version { fields.append((name: "If-Match", value: "\"\(version)\"")) }
        return TransportRequest(method: method, url: url, fields: fields, body: body, isStream: isStream)
    }
}
