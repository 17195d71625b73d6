#if IdentityTokens
import AsyncHTTPClient
import CPlatform
import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1

/// The source of an issuer's public keys.
package enum KeySource: Sendable, Hashable {
    /// A file, by its path.
    case file(String)
    /// An address: `https`, or `http` on this machine.
    case url(String)

    /// The rule for sources, for error messages.
    package static let rule = "the path of a file, or an https URL (http only for localhost)"

    /// Returns nil when the text is empty or an unsafe address.
    package init?(_ text: String) {
        guard text.contains("://") else {
            guard !text.isEmpty else { return nil }
            self = .file(text)
            return
        }
        guard let url = URL(string: text), let host = url.host, !host.isEmpty, url.user == nil, url.fragment == nil
        else { return nil }
        switch url.scheme?.lowercased() {
        case "https": self = .url(text)
        case "http" where Self.loopback.contains(host.lowercased()): self = .url(text)
        default: return nil
        }
    }

    private static let loopback: Set<String> = ["localhost", "127.0.0.1", "::1", "[::1]"]

    /// The maximum size; a set of keys has a few thousand bytes.
    static let mostBytes = 1024 * 1024
    /// The timeout of a complete response of the issuer.
    package static let timeout = Duration.seconds(5)

    /// Reads the set of keys.
    /// - Parameter timeout: for a complete response of the issuer.
    func read(within timeout: Duration) async throws -> Data {
        switch self {
        case .file(let path): try Self.read(path)
        case .url(let address): try await Self.fetch(address, within: timeout)
        }
    }

    private static func read(_ path: String) throws -> Data {
        // Without O_NONBLOCK, opening a pipe of that name would block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Fault("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        guard cplatform_is_regular_file(descriptor) != 0 else { throw Fault("\(path) is not a regular file") }
        var bytes = [UInt8](repeating: 0, count: mostBytes + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes[length...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw Fault("\(path): \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            length += count
        }
        guard length <= mostBytes else { throw Fault("\(path) has more than \(mostBytes) bytes") }
        return Data(bytes[..<length])
    }

    /// Redirects are not followed: only the configured address is trusted. Fetches are rare, so each uses its own
    /// client, and no connection stays open in between.
    private static func fetch(_ address: String, within timeout: Duration) async throws -> Data {
        let client = HTTPClient(
            configuration: .init(redirectConfiguration: .disallow, timeout: .init(connect: .init(timeout * 2))))
        let answer = await Result {
            // The client's own timeouts cover only the head of the response. They are longer than this one, so that the
            // error of a timeout is always the same.
            try await withThrowingTaskGroup(of: Data.self) { group in
                group.addTask {
                    var request = HTTPClientRequest(url: address)
                    request.headers.add(name: "accept", value: "application/jwk-set+json, application/json")
                    let response = try await client.execute(request, timeout: .init(timeout * 2))
                    guard response.status == .ok else {
                        throw Fault("the issuer answered with status \(response.status.code)")
                    }
                    return Data(try await response.body.collect(upTo: mostBytes).readableBytesView)
                }
                group.addTask {
                    try await ContinuousClock().sleep(for: timeout)
                    throw Fault("the issuer did not answer within \(timeout)")
                }
                defer { group.cancelAll() }
                guard let first = try await group.next() else {
                    preconditionFailure("a group of two tasks has a first result")
                }
                return first
            }
        }
        try await client.shutdown()
        return try answer.get()
    }

    /// The reason why keys can't be read, in a sentence.
    struct Fault: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
#endif
