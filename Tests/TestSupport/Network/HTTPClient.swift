import Dispatch
import Foundation

/// A response.
package struct HTTPAnswer: Sendable {
    package let status: Int
    /// Field names in lowercase.
    package let headers: [String: String]
    package let body: String

    package init(status: Int, headers: [String: String], body: String) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The body as a JSON object; empty if it is none.
    package var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
    }

    /// The body as JSON objects, one a line.
    package var lines: [[String: Any]] {
        body.split(separator: "\n").map {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any] ?? [:]
        }
    }

    /// The codes of the reasons in the body.
    package var reasonCodes: [String] {
        (json["reasons"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
    }
}

/// An HTTP/1.1 client for a server on this machine. It uses a plain socket, so tests can send malformed requests too.
package struct HTTPClient: Sendable {
    package let port: Int
    package let key: String?

    package init(port: Int, key: String? = nil) {
        self.port = port
        self.key = key
    }

    package struct ConnectionError: Error {}

    /// Called for every response to a request that was sent by method and path.
    @TaskLocal package static var observer: @Sendable (_ method: String, _ path: String, HTTPAnswer) -> Void = {
        _, _, _ in
    }

    package func send(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = [:]
    ) async throws -> HTTPAnswer {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Connection: close"]
        if let key { lines.append("Authorization: Bearer \(key)") }
        lines += headers.map { "\($0.key): \($0.value)" }
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        let request = lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
        let answer = try await send(raw: Array(request.utf8))
        Self.observer(method, path, answer)
        return answer
    }

    /// Sends the bytes as they are and reads until the server closes the connection.
    /// - Parameter isAll: whether to close the sending direction after the bytes.
    package func send(raw request: [UInt8], isAll: Bool = false) async throws -> HTTPAnswer {
        try await withCheckedThrowingContinuation { continuation in
            // A thread of its own: the server under test needs the threads that run tasks.
            Thread.detachNewThread {
                continuation.resume(with: Result { try exchange(request, isAll) })
            }
        }
    }

    /// Server-sent events as they arrive. A `decision` event is given as the `field` of its first reason, or without
    /// one as the `status` of the decision; an event without a name as the `field` of its object, and any other event as
    /// its name. The last element is `end` when the stream is complete.
    package func events(_ path: String, field: String = "status") async throws -> AsyncStream<String> {
        let key = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let descriptor = try open(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(key)\r\n".utf8))
        let (events, continuation) = AsyncStream.makeStream(of: String.self)
        continuation.onTermination = { _ in shutdown(descriptor, Int32(SHUT_RDWR)) }
        Thread.detachNewThread {
            var text = ""
            var buffer = [UInt8](repeating: 0, count: 65536)
            while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
                text += String(decoding: buffer[..<count], as: UTF8.self)
                while let end = text.range(of: "\n\n") {
                    if let event = Self.event(text[..<end.lowerBound], field) { continuation.yield(event) }
                    text = String(text[end.upperBound...])
                }
            }
            // An empty chunk ends a body.
            if text.hasSuffix("0\r\n\r\n") { continuation.yield("end") }
            continuation.finish()
            close(descriptor)
        }
        return events
    }

    private static func event(_ text: Substring, _ field: String) -> String? {
        guard let data = text.components(separatedBy: "data: ").last,
            let json = try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
        else { return nil }
        guard let name = text.components(separatedBy: "event: ").dropFirst().first?.prefix(while: { $0 != "\n" }) else {
            return json[field].map { "\($0)" }
        }
        if name != "decision" { return String(name) }
        let reasons = json["reasons"] as? [[String: Any]] ?? []
        return (reasons.first?[field] ?? json["status"]) as? String
    }

    /// Opens a connection and sends nothing.
    /// - Parameters:
    ///   - seconds: the timeout of the connect.
    ///   - isSlow: whether the service can send only a few kilobytes before the client reads.
    /// - Returns: a descriptor that the caller closes.
    package func connect(within seconds: Double = 30, isSlow: Bool = false) throws -> Int32 {
        try open([], within: seconds, isSlow: isSlow)
    }

    /// Sends a GET request on an open connection and returns the first part of the response. Blocks the thread.
    package static func ask(_ path: String, on descriptor: Int32) -> String {
        send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n", on: descriptor)
        return receive(on: descriptor)
    }

    /// A request with a response of more than 100 kilobytes.
    /// - Parameter fields: more header fields, each with its line end.
    package static func batchRequest(_ fields: String = "") -> String {
        let names = (0..<1000).map { #""a_long_name_\#($0)""# }.joined(separator: ",")
        let body = #"{"handles":[\#(names)]}"#
        return "POST /v1/availability HTTP/1.1\r\nHost: x\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Sends text on an open connection.
    package static func send(_ text: String, on descriptor: Int32) {
        _ = Array(text.utf8).withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// The next bytes that a connection receives, read on a thread of its own.
    package static func part(of descriptor: Int32) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: receive(on: descriptor)) }
        }
    }

    private static func receive(on descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// All that a connection receives until it ends, read on a thread of its own.
    package static func rest(of descriptor: Int32) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
                while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
                    bytes += buffer[..<count]
                }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    /// Opens a connection and sends a request on it.
    private func open(_ request: [UInt8], within seconds: Double = 30, isSlow: Bool = false) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if isSlow {
            // Small segments also keep the buffer of the other side small.
            var (buffer, segment) = (Int32(2048), Int32(536))
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, socklen_t(MemoryLayout<Int32>.size))
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: 90, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // The send timeout applies to the connect too.
        limit = timeval(tv_sec: Int(seconds), tv_usec: Int(seconds.truncatingRemainder(dividingBy: 1) * 1_000_000))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw ConnectionError()
        }
        var rest = request[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        return descriptor
    }

    private func exchange(_ request: [UInt8], _ isAll: Bool) throws -> HTTPAnswer {
        let descriptor = try open(request)
        defer { close(descriptor) }
        if isAll { shutdown(descriptor, Int32(SHUT_WR)) }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer[..<count]
        }
        return try parse(received)
    }

    private func parse(_ bytes: [UInt8]) throws -> HTTPAnswer {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { throw ConnectionError() }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        guard let first = lines.first, let status = Int(first.split(separator: " ").dropFirst().first ?? "") else {
            throw ConnectionError()
        }
        let headers = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        return HTTPAnswer(
            status: status, headers: Dictionary(headers) { first, _ in first }, body: String(text[end.upperBound...]))
    }
}

extension String {
    /// The text percent-encoded for a URL.
    package var percentEncoded: String {
        utf8.map { byte in
            let isPlain = (byte | 0x20) &- 97 < 26 || byte &- 48 < 10 || byte == 95 || byte == 46 || byte == 45
            return isPlain ? String(UnicodeScalar(byte)) : String(format: "%%%02X", byte)
        }.joined()
    }
}
