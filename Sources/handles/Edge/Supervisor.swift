import Foundation
import Glibc

/// Whoever started the service and wants to know how it is: systemd, or another that speaks its protocol (sd_notify(3)),
/// datagrams of `NAME=value` lines to the Unix socket that `NOTIFY_SOCKET` names. Without one nothing is said.
struct Supervisor: Sendable {
    /// How long the service may be silent before it is taken for hung and started anew; nil when nobody minds.
    let patience: Duration?
    private let address: Address?
    private let listening = AsyncStream<Never>.makeStream()

    /// The variables that are for this process alone.
    private static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

    /// How long a datagram may wait for a supervisor that is busy.
    private static let sendTimeout = timeval(tv_sec: 1, tv_usec: 0)

    init(environment: [String: String], processID: pid_t = getpid()) {
        address = environment["NOTIFY_SOCKET"].flatMap(Address.init)
        let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(processID)" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        patience = isOurs && address != nil && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Takes what is said of the supervisor out of the environment, so that no other program speaks in our name:
    /// PostgreSQL, which the service may start, would say that it is ready. Called before anything else runs.
    static func takeOver() -> Supervisor {
        let supervisor = Supervisor(environment: ProcessInfo.processInfo.environment)
        for name in variables { unsetenv(name) }
        return supervisor
    }

    /// Whether there is one: then what the service says to a person goes into a log.
    var isThere: Bool { address != nil }

    /// Says that connections are taken.
    func isListening() { listening.continuation.finish() }

    /// Returns when connections are taken, or the task is cancelled.
    func waitUntilListening() async { for await _ in listening.stream {} }

    /// Says that no more requests are wanted.
    func isStopping() { tell(["STOPPING=1", "STATUS=finishing the requests in progress"]) }

    /// - Returns: false when the supervisor did not get it.
    @discardableResult
    func tell(_ lines: [String]) -> Bool {
        guard let address else { return true }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var timeout = Self.sendTimeout
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let message = Array(lines.joined(separator: "\n").utf8)
        return address.withSocketAddress {
            sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, $1)
        } == message.count
    }

    /// Where a Unix socket is: a path, or with `@` before it a name that is not in the file system.
    private struct Address: Sendable {
        /// As in `sun_path`.
        private let bytes: [UInt8]

        init?(_ text: String) {
            var bytes = Array(text.utf8)
            guard bytes.count > 1, bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
            switch bytes[0] {
            case UInt8(ascii: "/"): bytes.append(0)
            case UInt8(ascii: "@"): bytes[0] = 0
            default: return nil
            }
            self.bytes = bytes
        }

        func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            // A name that is no path ends where the length says.
            let length = MemoryLayout<sa_family_t>.size + bytes.count
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
            }
        }
    }
}
