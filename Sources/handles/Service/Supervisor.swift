import Foundation
import Glibc

/// The supervisor that started the service: systemd, or another one with the protocol of sd_notify(3), which sends
/// datagrams of `NAME=value` lines to the Unix socket in `NOTIFY_SOCKET`. Without a supervisor nothing is sent.
struct Supervisor: Sendable {
    /// Watchdog timeout: how long the service may be silent before it is restarted; nil without a watchdog.
    let patience: Duration?
    private let address: Address?
    private let listening = AsyncStream<Never>.makeStream()

    /// Variables that are meant for this process alone.
    private static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

    /// How long a send may wait for a busy supervisor.
    private static let sendTimeout = timeval(tv_sec: 1, tv_usec: 0)

    init(environment: [String: String], processID: pid_t = getpid()) {
        address = environment["NOTIFY_SOCKET"].flatMap(Address.init)
        let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(processID)" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        patience = isOurs && address != nil && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Removes the supervisor's variables from the environment, so that no child process can send notifications for us.
    /// PostgreSQL, which the service may start, would report that it is ready. Call this before anything else runs.
    static func takeOver() -> Supervisor {
        let supervisor = Supervisor(environment: ProcessInfo.processInfo.environment)
        for name in variables { unsetenv(name) }
        return supervisor
    }

    /// Whether there is a supervisor. Messages for the user then go into a log.
    var isThere: Bool { address != nil }

    /// Records that the service accepts connections.
    func isListening() { listening.continuation.finish() }

    /// Returns when the service accepts connections, or the task is cancelled.
    func waitUntilListening() async { for await _ in listening.stream {} }

    /// Reports that the service is stopping.
    func isStopping() { tell(["STOPPING=1", "STATUS=finishing the requests in progress"]) }

    /// - Returns: false if the datagram could not be sent.
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

    /// The address of a Unix socket: a path or, after `@`, an abstract name.
    private struct Address: Sendable {
        /// In the format of `sun_path`.
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
            // An abstract name is not NUL-terminated; the length marks its end.
            let length = MemoryLayout<sa_family_t>.size + bytes.count
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
            }
        }
    }
}
