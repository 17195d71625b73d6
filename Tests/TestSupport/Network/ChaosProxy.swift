import Foundation
import NIOConcurrencyHelpers

/// A TCP proxy in front of a PostgreSQL server on a Unix socket. A test chooses the faults that it injects.
package final class ChaosProxy: Sendable {
    package enum Mood: Sendable {
        /// Everything is passed on unchanged.
        case calm
        /// Every connection is closed, and new ones are closed at once.
        case cut
        /// The connection is reset instead of passing on the server's reply to a COMMIT, with the probability `chance`
        /// for each reply.
        case losesCommits(chance: Double = 1)
        /// The same for the next reply only. `meanwhile` runs before the reset; afterwards the proxy is calm.
        case losesNextCommit(meanwhile: @Sendable () async -> Void)
        /// Connections stay open, and all data are discarded.
        case blackHole
        /// All data are delayed.
        case delay(milliseconds: UInt32)
    }

    private let bound: BoundPort
    private let target: String
    private let lost = NIOLockedValueBox(0)
    private let timedOut = NIOLockedValueBox(0)
    private let copied = NIOLockedValueBox(0)
    private let state = NIOLockedValueBox<(mood: Mood, sockets: Set<Int32>)>((.calm, []))

    /// - Parameter conninfo: the server's, with the folder of its socket as `host`.
    package init(to conninfo: String) throws {
        target = Self.field("host", of: conninfo) + "/.s.PGSQL.5432"
        bound = try BoundPort()
        try bound.listen()
        Thread.detachNewThread { [self] in accept() }
    }

    /// The number of commits with a reply that never reached the client.
    package var commitsLost: Int { lost.withLockedValue(\.self) }

    /// The number of commits after a COPY with a reply that was passed on to the client.
    package var copiesPassed: Int { copied.withLockedValue(\.self) }

    /// The number of statements that the server ended because they waited too long for a lock.
    package var lockTimeouts: Int { timedOut.withLockedValue(\.self) }

    /// The connection string with the proxy's address instead of the server's.
    package func conninfo(_ conninfo: String) -> String {
        "host=127.0.0.1 port=\(bound.number) user=\(Self.field("user", of: conninfo)) dbname=\(Self.field("dbname", of: conninfo))"
    }

    package func set(_ mood: Mood) {
        // Under the lock: a socket that is closed meanwhile could have its number reused by another test.
        state.withLockedValue { state in
            state.mood = mood
            if case .cut = mood { for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) } }
        }
    }

    /// Closes every connection. New ones are still accepted.
    package func dropConnections() {
        state.withLockedValue { state in for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) } }
    }

    /// Breaks the connections again and again, some of them during a commit, until the task is cancelled. Afterwards
    /// the proxy is calm.
    /// - Parameter pause: the first calm period. Later ones are longer, so that operations can complete in between,
    ///   which takes longer on many nodes or a busy machine.
    package func makeTrouble(pause: Duration) -> Task<Void, Never> {
        Task {
            var pause = pause
            while !Task.isCancelled {
                try? await Task.sleep(for: pause)
                pause = min(pause + max(.milliseconds(1), pause / 20), .seconds(3))
                if Bool.random() {
                    set(.cut)
                    try? await Task.sleep(for: .milliseconds(5))
                } else {
                    // Until one commit is lost, or for a second if there is no commit.
                    let (before, end) = (commitsLost, ContinuousClock.now + .seconds(1))
                    set(.losesCommits())
                    while commitsLost == before, .now < end, !Task.isCancelled {
                        try? await Task.sleep(for: .milliseconds(2))
                    }
                }
                set(.calm)
            }
        }
    }

    private static func field(_ name: String, of conninfo: String) -> String {
        let field = conninfo.split(separator: " ").first { $0.hasPrefix("\(name)=") } ?? ""
        return field.dropFirst(name.count + 1).trimmingCharacters(in: CharacterSet(charactersIn: "'"))
    }

    private func accept() {
        while true {
            let client = Glibc.accept(bound.descriptor, nil, nil)
            guard client >= 0 else {
                // The client may have disconnected, or the process may have no descriptor left.
                usleep(10_000)
                continue
            }
            let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: target.utf8.prefix($0.count - 1)) }
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard status == 0 else {
                close(client)
                close(server)
                continue
            }
            let isTaken = state.withLockedValue { state in
                if case .cut = state.mood { return false }
                state.sockets.insert(client)
                return true
            }
            guard isTaken else {
                close(client)
                close(server)
                continue
            }
            let ends = NIOLockedValueBox(0)
            for (from, to, isRequest) in [(client, server, true), (server, client, false)] {
                Thread.detachNewThread { [self] in
                    pump(from, to, isRequest)
                    shutdown(from, Int32(SHUT_RDWR))
                    shutdown(to, Int32(SHUT_RDWR))
                    guard
                        ends.withLockedValue({
                            $0 += 1; return $0 == 2
                        })
                    else { return }
                    state.withLockedValue { _ = $0.sockets.remove(client) }
                    close(client)
                    close(server)
                }
            }
        }
    }

    private func pump(_ from: Int32, _ to: Int32, _ isRequest: Bool) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        var hasCopied = false
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            if !isRequest, says(Self.lockTimeout, buffer[..<count]) { timedOut.withLockedValue { $0 += 1 } }
            switch state.withLockedValue({ $0.mood }) {
            case .calm, .cut: break
            case .blackHole: continue
            case .delay(let milliseconds): usleep(milliseconds * 1000)
            case .losesCommits(let chance):
                if !isRequest, says(Self.committed, buffer[..<count]), Double.random(in: 0..<1) < chance {
                    lost.withLockedValue { $0 += 1 }
                    return reset(to)
                }
            case .losesNextCommit(let meanwhile):
                if !isRequest, says(Self.committed, buffer[..<count]) {
                    set(.calm)
                    let isOver = DispatchSemaphore(value: 0)
                    Task {
                        await meanwhile()
                        isOver.signal()
                    }
                    isOver.wait()
                    lost.withLockedValue { $0 += 1 }
                    return reset(to)
                }
            }
            var rest = buffer[..<count]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard sent > 0 else { return }
                rest = rest.dropFirst(sent)
            }
            guard !isRequest else { continue }
            hasCopied = hasCopied || says(Self.copied, buffer[..<count])
            if hasCopied, says(Self.committed, buffer[..<count]) {
                hasCopied = false
                copied.withLockedValue { $0 += 1 }
            }
        }
    }

    private func says(_ words: [UInt8], _ bytes: ArraySlice<UInt8>) -> Bool { bytes.firstRange(of: words) != nil }

    /// The server's reply to a COMMIT that succeeded.
    private static let committed = Array("COMMIT\0".utf8)
    /// The beginning of the server's reply to a COPY.
    private static let copied = Array("COPY ".utf8)
    /// The field of an error with SQLSTATE 55P03, lock_not_available.
    private static let lockTimeout = Array("C55P03\0".utf8)

    /// Makes a later `close` reset the connection.
    private func reset(_ socket: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }
}
