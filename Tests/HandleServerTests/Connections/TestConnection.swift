import HTTPTypes
import HandleCore
import NIOCore
import NIOHTTPTypes

@testable import HandleServer

/// An event of a connection: from the client, from the service, or from the clock.
enum ConnectionEvent {
    case bytes, handshake, end, failure, inputClosed
    case head(connection: String? = nil, expect: String? = nil)
    case body(Int)
    case responseHead(ConnectionState.Persistence = .keepAlive), responseEnd, read, drain
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
    /// The events from the client that were passed on, and all that it sent before it sent something unreadable.
    private var passed: [String] = []
    private var sent: [String] = []

    private var now: NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private var isClosed: Bool { log.last?.hasPrefix("close") ?? false }

    mutating func perform(_ event: ConnectionEvent) {
        let now = now
        switch event {
        case .bytes: state.bytesArrived(at: now)
        case .handshake: state.handshakeCompleted(at: now)
        case .head(let connection, let expect):
            heads += 1
            var head = HTTPRequest(method: .get, scheme: nil, authority: "x", path: "/\(heads)")
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
        case .passAfterContinue:
            log.append("100")
            pass(.part(part))
        case .pass: pass(.part(part))
        }
    }

    private mutating func pass(_ event: ConnectionState.Held) {
        switch event {
        case .part(let part):
            passed.append(Self.name(part))
            log.append(Self.name(part))
        case .failure: log.append("failure")
        case .inputClosed: log.append(state.input == .closed ? "input closed" : "input closed, but not noted")
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
        case .writeClosing:
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
        case .writeAndLeave:
            log.append("response end, leave")
            if !isSlow { state.lastResponseSent(at: now) }
        case .refuse: log.append("response end refused")
        }
    }

    private mutating func wait(_ time: Int64) {
        let end = seconds + time
        while !isClosed, state.deadline <= .uptimeNanoseconds(0) + .seconds(end) {
            seconds = max(seconds, Int64(state.deadline.uptimeNanoseconds / 1_000_000_000))
            switch state.timerFired(at: now) {
            case .wait: log.append("the timer fired too early")
            case .close: log.append("close at \(seconds)")
            case .respondAndLeave:
                log.append("408, leave at \(seconds)")
                if !isSlow { state.lastResponseSent(at: now) }
            }
        }
        seconds = end
    }
}

// MARK: Random conversations

extension TestConnection {
    /// The next event of a client that sends whole messages, and of a service that answers what is passed on to it.
    private func turn(_ random: inout SeededGenerator) -> ConnectionEvent {
        let isWithinMessage = sent.last.map { $0 != "end" } ?? false
        let heads = passed.count { $0.hasPrefix("head") }
        let ends = log.count { $0.hasPrefix("response end") }
        let begun = log.count { $0 == "response" || $0 == "response, close" }
        var events: [ConnectionEvent] = [.read, .bytes, .wait(1)]
        if state.input == .open {
            events += isWithinMessage ? [.body(1), .end, .end, .end] : [.head(), .head(), .head()]
            if Int.random(in: 0..<8, using: &random) == 0 { events += [.failure] }
            if !isWithinMessage, Int.random(in: 0..<8, using: &random) == 0 { events += [.inputClosed] }
            if !isWithinMessage { events.append(.head(connection: "close")) }
        } else {
            events += [.head(), .body(3), .end]
        }
        if begun > ends {
            events += [.responseEnd, .responseEnd]
        } else if heads > ends {
            events += [.responseHead(), .responseHead(), .responseHead(), .responseHead(.close)]
        }
        return events.randomElement(using: &random) ?? .read
    }

    mutating func talk(_ random: inout SeededGenerator, turns: Int) {
        for _ in 0..<turns where !isClosed && state.phase != .leaving { perform(turn(&random)) }
        // The service answers what is left.
        while !isClosed, state.phase != .leaving {
            switch state.phase {
            case .reading where state.input == .open: perform(.end)
            case .reading, .answering: perform(.responseHead())
            case .responding, .closing: perform(.responseEnd)
            case .idle, .arriving, .leaving: return
            }
        }
    }

    /// A description of what is wrong with the log; nil if nothing is.
    var fault: String? {
        guard passed == Array(sent.prefix(passed.count)) else { return "\(sent) was passed on as \(passed)" }
        var (inProgress, isLast) = (0, false)
        for line in log {
            if line.hasPrefix("head") {
                inProgress += 1
                guard inProgress == 1, !isLast else { return "\(line) was passed on too early or too late" }
            }
            if line == "response, close" { isLast = true }
            if line.hasPrefix("response end") { inProgress = max(0, inProgress - 1) }
        }
        let isOpen = state.phase == .idle || state.phase == .arriving
        if isOpen, passed != sent { return "\(sent) was not passed on whole: \(passed)" }
        if isOpen || state.phase == .leaving, state.deadline == .distantFuture { return "the connection has no end" }
        return nil
    }
}
