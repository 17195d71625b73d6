import Foundation
import NIOConcurrencyHelpers

/// An HTTP/1.1 server on this machine that keeps the requests it gets and answers them as the test says.
package final class HTTPReceiver: Sendable {
    package struct Request: Sendable {
        /// The first line, such as `POST /hook HTTP/1.1`.
        package let line: String
        /// Field names in lowercase.
        package let headers: [String: String]
        package let body: String
    }

    package enum Reply: Sendable {
        case status(Int, _ headers: [String: String] = [:])
        /// The connection is closed without an answer.
        case cut
    }

    private let bound: BoundPort
    private let received = NIOLockedValueBox<[Request]>([])
    private let reply: @Sendable (_ number: Int, Request) -> Reply

    /// - Parameters:
    ///   - isOpen: false to refuse connections until ``open()``.
    ///   - reply: the answer to a request; requests are numbered from 1.
    package init(
        isOpen: Bool = true, _ reply: @escaping @Sendable (_ number: Int, Request) -> Reply = { _, _ in .status(204) }
    ) throws {
        bound = try BoundPort()
        self.reply = reply
        if isOpen { try open() }
    }

    deinit {
        // Wakes the accepting thread, which then ends.
        shutdown(bound.descriptor, Int32(SHUT_RDWR))
    }

    package var address: String { "http://127.0.0.1:\(bound.number)/hook" }
    package var requests: [Request] { received.withLockedValue(\.self) }

    /// Accepts connections from now on.
    package func open() throws {
        try bound.listen()
        Thread.detachNewThread { [bound, received, reply] in
            while true {
                let accepted = accept(bound.descriptor, nil, nil)
                guard accepted >= 0 else {
                    // Stop only when the server is shut down, not after a signal or when descriptors are short.
                    if errno == EINVAL { return }
                    usleep(1000)
                    continue
                }
                Thread.detachNewThread {
                    Self.serve(accepted, received, reply)
                    close(accepted)
                }
            }
        }
    }

    private static func serve(
        _ descriptor: Int32, _ received: NIOLockedValueBox<[Request]>, _ reply: (Int, Request) -> Reply
    ) {
        var bytes: [UInt8] = []
        while let request = request(from: descriptor, &bytes) {
            let number = received.withLockedValue { received in
                received.append(request)
                return received.count
            }
            guard case .status(let status, let headers) = reply(number, request) else { return }
            let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
            let content = status == 204 ? "" : "Content-Length: 2\r\n"
            HTTPClient.send(
                "HTTP/1.1 \(status) Status\r\n\(content)\(fields)\r\n\(status == 204 ? "" : "ok")", on: descriptor)
        }
    }

    /// Reads the next request; nil at the end of the connection.
    private static func request(from descriptor: Int32, _ bytes: inout [UInt8]) -> Request? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
                let pairs = lines.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    return (parts[0].lowercased(), parts.last?.trimmingCharacters(in: .whitespaces) ?? "")
                }
                let headers = Dictionary(pairs) { "\($0), \($1)" }
                let start = text[..<end.upperBound].utf8.count
                let length = headers["content-length"].flatMap { Int($0) } ?? 0
                if bytes.count >= start + length {
                    let body = String(decoding: bytes[start..<start + length], as: UTF8.self)
                    bytes.removeFirst(start + length)
                    return Request(line: lines[0], headers: headers, body: body)
                }
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }
}
