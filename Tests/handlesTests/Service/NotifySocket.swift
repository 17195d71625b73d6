import Foundation
import Glibc
import TestSupport

/// The supervisor's end of the notify socket: a datagram socket that collects the lines sent to it.
final class NotifySocket {
    private let descriptor: Int32
    private(set) var lines: [String] = []

    struct Failure: Error {}

    /// - Parameter name: a path, or with `@` in front a name in Linux's abstract namespace.
    init(_ name: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0 else { throw Failure() }
    }

    deinit { close(descriptor) }

    /// Reads all datagrams that have arrived.
    func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count >= 0 {
            lines += String(decoding: buffer[..<count], as: UTF8.self).components(separatedBy: "\n")
        }
    }

    /// Waits for a line with this prefix and returns it. Removes it and all lines before it.
    @discardableResult
    func wait(for start: String) async throws -> String {
        var found: Int?
        try await eventually("the supervisor is told \(start)") {
            read()
            found = lines.firstIndex { $0.hasPrefix(start) }
            return found != nil
        }
        let index = found ?? 0
        let line = lines[index]
        lines.removeFirst(index + 1)
        return line
    }

    /// Discards all lines that have arrived.
    func clear() {
        read()
        lines = []
    }
}
