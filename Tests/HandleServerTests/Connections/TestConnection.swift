import HTTPTypes
import HandleRules
import NIOCore
import NIOHTTPTypes

@testable import HandleServer

/// An event of a connection: from the client, from the service, or from the clock.
enum ConnectionEvent {
    case bytes, handshake, end, failure, inputClosed
    case head(
        _ method: HTTPRequest.Method = .get, connection: String? = nil, expect: String? = nil, upgrade: String? = nil)
    case body(Int)
    case responseHead(ConnectionState.Persistence = .keepAlive), responseEnd, read, drain
    /// The service has no more to write, or it stops.
    case finish, stop
    case full, writable
    /// From here on, the last response is written and not sent.
    case sendSlowly
    /// Turns the clock, in seconds.
    case wait(Int64)
}

/// The state of a connection with a clock and a log, without a channel. It performs what the state returns as
/// `ConnectionHandler` does.
struct TestConnection {
    private struct Unreadable: Error {}

    private static let limits: ServerLimits = {
        var limits = ServerLimits()
        (limits.idleTime, limits.requestTime, limits.sendTime) = (.seconds(60), .seconds(10), .seconds(20))
        return limits
    }()

    private var state = ConnectionState(limits, at: .uptimeNanoseconds(0))
    private var seconds: Int64 = 0
    private var isDraining = false
    private var isSlow = false
    private var heads = 0
    private(set) var log: [String] = []
    /// The parts from the client that were passed on, and all that it sent before it sent something unreadable.
    private var passed: [String] = []
    private var sent: [String] = []
    /// The time of the timer, which a later deadline does not move.
    private var timerAt: Int64?

    private var now: NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private var isClosed: Bool { log.last.map { $0 == "close" || $0.hasPrefix("close at") } ?? false }

    mutating func perform(_ event: ConnectionEvent) {
        let now = now
        defer { setTimer() }
        switch event {
        case .bytes: state.bytesArrived(at: now)
        case .handshake: state.handshakeCompleted(at: now)
        case .head(let method, let connection, let expect, let upgrade):
            heads += 1
            var head = HTTPRequest(method: method, scheme: nil, authority: "x", path: "/\(heads)")
            head.headerFields[.upgrade] = upgrade
            head.headerFields[.connection] = connection
            head.headerFields[.expect] = expect
            arrive(.head(head))
        case .body(let bytes): arrive(.body(ByteBuffer(repeating: 0, count: bytes)))
        case .end: arrive(.end(nil))
        case .failure: if state.failed(Unreadable(), at: now) { pass(.failure(Unreadable())) }
        case .inputClosed: if state.inputClosed() { pass(.inputClosed) }
        case .read: if state.readRequested() { pass(.read) }
        case .responseHead(let wish): respond(wish)
        case .responseEnd: endResponse()
        case .drain: isDraining = true
        case .finish:
            switch state.closeRequested(at: now) {
            case .close: log.append("close")
            case .closeWhenSent: log.append("close when sent")
            case .ignore: log.append("close ignored")
            }
        case .stop: log.append(state.stopRequested() ? "close" : "input closed by the service")
        case .full: state.writabilityChanged(to: false, at: now)
        case .writable: state.writabilityChanged(to: true, at: now)
        case .sendSlowly: isSlow = true
        case .wait(let time): wait(time)
        }
    }

    private mutating func arrive(_ part: HTTPRequestPart) {
        if state.input == .open { sent.append(Self.name(part)) }
        let now = now
        switch state.received(part, at: now) {
        case .hold, .discard: break
        case .close: log.append("close")
        case .pass: pass(.part(part))
        }
    }

    private mutating func pass(_ event: ConnectionState.Held) {
        switch event {
        case .part(let part):
            if part.expectsContinue { log.append("100") }
            passed.append(Self.name(part))
            log.append(Self.name(part))
        case .failure: log.append("failure")
        case .inputClosed: log.append(state.clientHasLeft ? "input closed" : "input closed, but not noted")
        case .read: log.append("read")
        }
    }

    private mutating func passHeld() {
        let now = now
        while let event = state.next(at: now) { pass(event) }
    }

    private static func name(_ part: HTTPRequestPart) -> String {
        switch part {
        case .head(let head): "head \(head.path?.dropFirst() ?? "")"
        case .body(let bytes): "body \(bytes.readableBytes)"
        case .end: "end"
        }
    }

    private mutating func respond(_ wish: ConnectionState.Persistence) {
        switch state.responseBegan(wish, isDraining: isDraining) {
        case .write: log.append("response")
        case .writeLast:
            log.append("response, close")
            passHeld()
        case .refuse: log.append("response refused")
        }
    }

    private mutating func endResponse() {
        switch state.responseEnded(at: now) {
        case .write:
            log.append("response end")
            passHeld()
        case .writeLast:
            log.append("response end, leave")
            if !isSlow { state.lastResponseSent(at: now) }
        case .refuse: log.append("response end refused")
        }
    }

    private mutating func wait(_ time: Int64) {
        let end = seconds + time
        while !isClosed, let timer = timerAt, timer <= end {
            (seconds, timerAt) = (timer, nil)
            switch state.timerFired(at: now) {
            case .wait: break
            case .close: log.append("close at \(seconds)")
            case .respondAndLeave:
                log.append("408, leave at \(seconds)")
                if !isSlow { state.lastResponseSent(at: now) }
            }
            setTimer()
        }
        seconds = end
    }

    private mutating func setTimer() {
        guard state.deadline != .distantFuture else { return }
        let next = Int64(state.deadline.uptimeNanoseconds / 1_000_000_000)
        timerAt = min(timerAt ?? next, next)
    }
}

// MARK: Random conversations

extension TestConnection {
    /// The next event of a client that sends whole messages, and of a service that answers what is passed on to it.
    private func turn(_ random: inout SeededGenerator) -> ConnectionEvent {
        var events: [ConnectionEvent] = [.read, .bytes, .wait(1)]
        let isRare = Int.random(in: 0..<8, using: &random) == 0
        if isRare { events += [.handshake, .full, .writable, .drain] }
        if state.input != .open {
            events += [.head(), .body(3), .end, .failure]
        } else if sent.last.map({ $0 != "end" }) ?? false {
            events += [.body(1), .end, .end, .end] + (isRare ? [.failure] : [])
        } else {
            events += [.head(), .head(), .head(expect: "100-continue")]
            if isRare { events += [.failure, .inputClosed, .head(connection: "close")] }
        }
        switch state.phase {
        case .responding, .closing: events += [.responseEnd, .responseEnd]
        case .reading, .answering: events += [.responseHead(), .responseHead(), .responseHead(.close)]
        case .idle, .arriving: events += log.contains("failure") ? [.responseHead()] : []
        case .leaving: break
        }
        return events.randomElement(using: &random) ?? .read
    }

    mutating func talk(_ random: inout SeededGenerator, turns: Int) {
        for _ in 0..<turns where !isClosed && state.phase != .leaving { step(turn(&random)) }
        // The service answers what is left.
        while !isClosed, fault == nil {
            switch state.phase {
            case .reading where state.input == .open: step(.end)
            case .reading, .answering: step(.responseHead())
            case .responding, .closing: step(.responseEnd)
            case .idle, .arriving, .leaving: return
            }
        }
    }

    private mutating func step(_ event: ConnectionEvent) {
        perform(event)
        switch state.phase {
        case .answering, .responding, .closing(.complete): break
        case .idle, .arriving, .reading, .closing(.partial), .leaving:
            if state.deadline == .distantFuture { log.append("\(state.phase) has no end") }
        }
    }

    /// A description of what is wrong with the log; nil if nothing is.
    var fault: String? {
        if let line = log.first(where: { $0.hasSuffix("no end") }) { return line }
        guard passed == Array(sent.prefix(passed.count)) else { return "\(sent) was passed on as \(passed)" }
        var (inProgress, isLast, hasEnded) = (0, false, false)
        for line in log {
            let isPart = line.hasPrefix("head") || line.hasPrefix("body") || line == "end"
            if hasEnded, isPart { return "\(line) was passed on after the end" }
            if line.hasPrefix("head") {
                inProgress += 1
                guard inProgress == 1, !isLast else { return "\(line) was passed on too early or too late" }
            }
            if line == "response, close" { isLast = true }
            if line.hasPrefix("response end") { inProgress = max(0, inProgress - 1) }
            hasEnded = hasEnded || line == "failure" || line.hasPrefix("input closed")
        }
        guard state.phase == .idle || state.phase == .arriving, !isClosed else { return nil }
        if passed != sent { return "\(sent) was not passed on whole: \(passed)" }
        return hasEnded == (state.input != .open) ? nil : "the end was not passed on, or it was made up"
    }
}
