import CLibpq
import Glibc
import NIOConcurrencyHelpers

/// Waits for sockets: one thread in `epoll_wait` for the whole process, with readiness as an async function.
///
/// libpq owns its sockets, and neither SwiftNIO nor Dispatch can cheaply watch a descriptor of another library
/// (docs/decisions/database.md).
final class Poller: Sendable {
    static let shared = Poller()

    enum Interest: Sendable { case readable, writable, either }

    /// A task that waits for a descriptor. A descriptor has only one waiter at a time, because it belongs to one actor.
    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<Void, any Error>
        let deadline: ContinuousClock.Instant
    }

    private struct State {
        var waiters: [Int32: Waiter] = [:]
        var lastID: UInt64 = 0
        /// Whether the thread sleeps without a timeout and must be woken to see a new deadline.
        var isAsleep = false
    }

    private let state = NIOLockedValueBox(State())
    private let epoll: Int32
    private let wakeUp: Int32

    /// The interval of checks for deadlines, in milliseconds: a timeout of seconds may be late by this much.
    private static let tickMilliseconds: Int32 = 50

    private init() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(epoll >= 0 && wakeUp >= 0, "no file descriptor is left for epoll")
        control(EPOLL_CTL_ADD, wakeUp, EPOLLIN.rawValue)

        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil, { _ in Poller.shared.run() }, nil)
        precondition(status == 0, "no thread can be started for epoll")
    }

    /// Returns when the descriptor is ready, or broken, which the next call of libpq detects.
    /// - Throws: ``PostgresError`` `.timedOut` at the deadline; `CancellationError` when the task is cancelled.
    func wait(for interest: Interest, on descriptor: Int32, until deadline: ContinuousClock.Instant) async throws {
        let id = state.withLockedValue { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let mustWake = state.withLockedValue { state in
                    state.waiters[descriptor] = Waiter(id: id, continuation: continuation, deadline: deadline)
                    // Inside the lock; otherwise the thread could get the event before the waiter is stored.
                    arm(descriptor, interest)
                    defer { state.isAsleep = false }
                    return state.isAsleep
                }
                if mustWake { wake() }
                // A cancellation before the waiter was stored had no waiter to end.
                if Task.isCancelled { cancel(id, descriptor) }
            }
        } onCancel: {
            cancel(id, descriptor)
        }
    }

    /// Must be called before the descriptor is closed, because another socket may get its number at once.
    func forget(_ descriptor: Int32) {
        control(EPOLL_CTL_DEL, descriptor, 0)
    }

    private func cancel(_ id: UInt64, _ descriptor: Int32) {
        let waiter = state.withLockedValue { state -> Waiter? in
            guard state.waiters[descriptor]?.id == id else { return nil }
            return state.waiters.removeValue(forKey: descriptor)
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    // MARK: The thread

    private func run() -> Never {
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while true {
            let sleepsForever = state.withLockedValue { state in
                state.isAsleep = state.waiters.isEmpty
                return state.isAsleep
            }
            let count = epoll_wait(epoll, &events, Int32(events.count), sleepsForever ? -1 : Self.tickMilliseconds)
            for event in events.prefix(Int(max(0, count))) {
                if event.data.fd == wakeUp {
                    var ignored: UInt64 = 0
                    read(wakeUp, &ignored, 8)
                } else {
                    let waiter = state.withLockedValue { $0.waiters.removeValue(forKey: event.data.fd) }
                    waiter?.continuation.resume()
                }
            }
            expire()
        }
    }

    private func expire() {
        let now = ContinuousClock.now
        let late = state.withLockedValue { state in
            let late = state.waiters.filter { $0.value.deadline <= now }
            for descriptor in late.keys { state.waiters[descriptor] = nil }
            return late
        }
        for waiter in late.values {
            waiter.continuation.resume(throwing: PostgresError(.timedOut, "the database did not answer in time"))
        }
    }

    // MARK: The system calls

    private func arm(_ descriptor: Int32, _ interest: Interest) {
        let events =
            EPOLLONESHOT.rawValue
            | (interest == .writable ? 0 : EPOLLIN.rawValue) | (interest == .readable ? 0 : EPOLLOUT.rawValue)
        // Usually the descriptor is known already; ENOENT means that it is not.
        if control(EPOLL_CTL_MOD, descriptor, events) != 0 { control(EPOLL_CTL_ADD, descriptor, events) }
    }

    @discardableResult
    private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32) -> Int32 {
        var event = epoll_event(events: events, data: epoll_data_t(fd: descriptor))
        return epoll_ctl(epoll, operation, descriptor, &event)
    }

    private func wake() {
        var one: UInt64 = 1
        write(wakeUp, &one, 8)
    }
}
