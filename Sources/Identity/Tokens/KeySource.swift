#if IdentityTokens
import AsyncHTTPClient
import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1

/// Where the public keys of an issuer are.
package enum KeySource: Sendable, Hashable {
    /// A file, by its path.
    case file(String)
    /// An address: `https`, or `http` on this machine.
    case url(String)

    /// What a source may be, for a message to the one who gave another.
    package static let rule = "the path of a file, or an https URL (http only for localhost)"

    /// Nil when the text is an address that is not safe, or nothing.
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

    /// A set of keys has a few thousand bytes.
    static let mostBytes = 1024 * 1024
    /// How long an issuer may take for all of its answer.
    package static let timeout = Duration.seconds(5)

    /// Reads the set of keys.
    /// - Parameters:
    ///   - known: what a file was when it was read before.
    ///   - timeout: how long an issuer may take for all of its answer.
    /// - Returns: nil when the file is still the same.
    func read(unless known: FileStamp?, within timeout: Duration) async throws -> (set: Data, stamp: FileStamp?)? {
        switch self {
        case .file(let path): return try FileStamp.read(path, unless: known)
        case .url(let address): return (try await Self.fetch(address, within: timeout), nil)
        }
    }

    /// Redirects are not followed: the address that was configured is the one that is trusted. A client of its own for
    /// each of the few fetches keeps no connection open in between.
    private static func fetch(_ address: String, within timeout: Duration) async throws -> Data {
        let client = HTTPClient(
            configuration: .init(redirectConfiguration: .disallow, timeout: .init(connect: .init(timeout * 2))))
        let answer = await Result {
            // The client's own limits end with the head of the answer, and are the longer ones: what is said is always
            // the same then.
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

    /// Why keys can't be read, in a sentence.
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

/// By what a file is known to be another one than before.
struct FileStamp: Hashable, Sendable {
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int64
    private let inode: UInt64

    /// Reads a file whole; nil when it is still the one with the stamp `known`.
    static func read(_ path: String, unless known: FileStamp?) throws -> (set: Data, stamp: FileStamp?)? {
        // Without O_NONBLOCK a pipe of that name would be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw KeySource.Fault("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw KeySource.Fault("\(path) is not a regular file")
        }
        let stamp = FileStamp(
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec, size: Int64(status.st_size),
            inode: UInt64(status.st_ino))
        guard stamp != known else { return nil }
        var bytes = [UInt8](repeating: 0, count: KeySource.mostBytes + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes[length...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw KeySource.Fault("\(path): \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            length += count
        }
        guard length <= KeySource.mostBytes else {
            throw KeySource.Fault("\(path) has more than \(KeySource.mostBytes) bytes")
        }
        return (Data(bytes[..<length]), stamp)
    }
}
#endif
