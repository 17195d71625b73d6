import HTTPTypes
import HandleRules
import NIOCore
import NIOHTTPTypes
import Testing

@testable import HandleServer

/// The actions of a connection at each event, without a channel. The timeouts are 60 s when idle, 10 s for a request, 20 s
/// for a write, and 2 s for the client to leave.
@Suite struct ConnectionStateTests {
    private typealias Case = (name: String, events: [ConnectionEvent], outcome: [String])

    private func check(_ cases: [Case]) {
        for (name, events, outcome) in cases {
            var connection = TestConnection()
            for event in events { connection.perform(event) }
            #expect(connection.log == outcome, "\(name)")
        }
    }

    private static let get: [ConnectionEvent] = [.bytes, .head(), .end]
    private static let answer: [ConnectionEvent] = [.responseHead(), .responseEnd]

    @Test func requestsAreAnsweredOneAfterTheOther() {
        check([
            ("one request", Self.get + Self.answer, ["head 1", "end", "response", "response end"]),
            (
                "a request after the response", Self.get + Self.answer + Self.get + Self.answer,
                ["head 1", "end", "response", "response end", "head 2", "end", "response", "response end"]
            ),
            (
                "pipelined requests", Self.get + Self.get + Self.get + Self.answer + Self.answer,
                [
                    "head 1", "end", "response", "response end", "head 2", "end", "response", "response end", "head 3",
                    "end",
                ]
            ),
            (
                "a pipelined request while the response is being written",
                Self.get + [.responseHead()] + Self.get + [.responseEnd],
                ["head 1", "end", "response", "response end", "head 2", "end"]
            ),
            (
                "the start of a pipelined request", Self.get + [.head(), .body(7)] + Self.answer + [.body(5), .end],
                ["head 1", "end", "response", "response end", "head 2", "body 7", "body 5", "end"]
            ),
            (
                "a response with status 100 for a body", [.bytes, .head(expect: "100-Continue"), .body(3), .end],
                ["100", "head 1", "body 3", "end"]
            ),
            (
                "the same for a pipelined request", Self.get + [.head(expect: "100-continue")] + Self.answer,
                ["head 1", "end", "response", "response end", "100", "head 2"]
            ),
        ])
    }

    @Test func noRequestFollowsTheLastResponse() {
        let refused = ["head 1", "end", "response, close", "response end, leave"]
        check([
            ("the client wants to close", [.head(connection: "Close"), .end] + Self.answer + Self.get, refused),
            ("among other options", [.head(connection: "TE , close"), .end] + Self.answer + Self.get, refused),
            ("the decoder reads no further: CONNECT", [.head(.connect), .end] + Self.answer + Self.get, refused),
            ("the decoder reads no further: Upgrade", [.head(upgrade: "h2c"), .end] + Self.answer + Self.get, refused),
            (
                "another option", [.head(connection: "keep-alive, TE"), .end] + Self.answer,
                ["head 1", "end", "response", "response end"]
            ),
            ("the service wants to close", Self.get + [.responseHead(.close), .responseEnd] + Self.get, refused),
            ("the service is draining", Self.get + [.drain] + Self.answer + Self.get, refused),
            ("the next request waits already", Self.get + Self.get + [.responseHead(.close), .responseEnd], refused),
            (
                "the wish of the first request only", [.head(connection: "close"), .end] + Self.answer + Self.answer,
                refused + ["response refused", "response end refused"]
            ),
            (
                "a request that is not complete", [.head(), .body(1)] + Self.answer + [.body(2), .end] + Self.get,
                ["head 1", "body 1", "response, close", "response end, leave"]
            ),
            (
                "the rest of a request while its response is written",
                [.head(), .responseHead(), .body(2), .end] + Self.get + [.responseEnd],
                ["head 1", "response, close", "body 2", "end", "response end, leave"]
            ),
            (
                "no request", [.bytes, .failure] + Self.answer + Self.get,
                ["failure", "response, close", "response end, leave"]
            ),
        ])
    }

    /// Once the client has closed its side, the connection is closed after the response, when all of it is sent.
    @Test func responseAfterTheEndOfTheInputIsTheLast() {
        check([
            (
                "the end before the response", Self.get + [.inputClosed] + Self.answer,
                ["head 1", "end", "input closed", "response, close", "response end, leave"]
            ),
            (
                "the end while it is written", Self.get + [.responseHead(), .inputClosed, .responseEnd],
                ["head 1", "end", "response", "input closed", "response end, leave"]
            ),
            (
                "the end behind another request", Self.get + Self.get + [.inputClosed] + Self.answer + Self.answer,
                [
                    "head 1", "end", "response", "response end", "head 2", "end", "input closed", "response, close",
                    "response end, leave",
                ]
            ),
        ])
    }

    @Test func closeWaitsUntilTheResponsesAreSent() {
        let response = ["head 1", "end", "response"]
        check([
            ("between requests", Self.get + Self.answer + [.finish], response + ["response end", "close when sent"]),
            (
                "for the time of a write", [.wait(5), .finish, .finish, .wait(100)],
                ["close when sent", "close ignored", "close at 25"]
            ),
            (
                "after the last response", Self.get + [.responseHead(.close), .responseEnd, .finish],
                ["head 1", "end", "response, close", "response end, leave", "close ignored"]
            ),
            ("after a byte, which may have been of TLS", [.bytes, .finish], ["close when sent"]),
            ("not if the service stops", [.finish, .stop], ["close when sent", "close"]),
            ("nor before that", [.stop, .finish], ["input closed by the service", "close"]),
            ("not within a response", Self.get + [.responseHead(), .finish], response + ["close"]),
            ("not within a request", [.head(), .finish], ["head 1", "close"]),
        ])
    }

    @Test func readsErrorsAndTheEndWaitBehindPipelinedRequests() {
        let first = ["head 1", "end"]
        let answered = ["response", "response end"]
        check([
            ("nothing waits", Self.get + [.read, .inputClosed], first + ["read", "input closed"]),
            (
                "a read waits until no request does",
                Self.get + Self.get + Self.get + [.read, .read] + Self.answer + Self.answer,
                first + answered + ["head 2", "end"] + answered + ["head 3", "end", "read"]
            ),
            (
                "input after a read that waits", Self.get + Self.get + [.read] + Self.get + Self.answer + Self.answer,
                first + answered + ["head 2", "end"] + answered + ["head 3", "end", "read"]
            ),
            (
                "an error, then the end",
                Self.get + Self.get + [.failure, .inputClosed, .failure] + Self.answer + Self.answer + Self.answer,
                first + answered + ["head 2", "end", "failure", "input closed"] + answered
                    + ["response, close", "response end, leave"]
            ),
            (
                "an error behind the request in progress", Self.get + [.failure] + Self.answer + Self.answer,
                first + ["failure"] + answered + ["response, close", "response end, leave"]
            ),
            (
                "the last response drops the requests, and nothing else",
                Self.get + Self.get + [.read, .failure, .inputClosed, .responseHead(.close)],
                first + ["response, close", "failure", "input closed", "read"]
            ),
        ])
    }

    @Test func nothingIsTakenWhileARequestIsAnswered() {
        let now = NIODeadline.now()
        var state = ConnectionState(ServerLimits(), at: now)
        let head = HTTPRequestPart.head(HTTPRequest(method: .get, scheme: nil, authority: "x", path: "/"))
        let arrivals = [head, .end(nil), head, .end(nil)].map { state.received($0, at: now) }
        #expect(arrivals == [.pass, .pass, .hold, .hold])
        if state.next(at: now) != nil { Issue.record("the first request has no response") }
        _ = state.responseBegan(.keepAlive, isDraining: false)
        if state.next(at: now) != nil { Issue.record("the response is not complete") }
        _ = state.responseEnded(at: now)
        guard case .part(.head) = state.next(at: now) else { Issue.record("the second head comes next"); return }
    }

    /// A malformed head is not passed on, but the decoder goes on with its body and the requests behind it.
    @Test func nothingFollowsUnreadableInput() {
        check([
            (
                "after the head", [.bytes, .failure, .body(3), .end] + Self.get + Self.answer,
                ["failure", "response, close", "response end, leave"]
            ),
            (
                "within the body", [.head(), .body(1), .failure, .end] + Self.get + Self.answer,
                ["head 1", "body 1", "failure", "response, close", "response end, leave"]
            ),
            (
                "behind a request in progress", Self.get + [.failure] + Self.get + Self.answer + [.body(1)],
                ["head 1", "end", "failure", "response", "response end"]
            ),
        ])
    }

    /// Otherwise the part that came in time could be carried out as if it was the whole request.
    @Test func restOfARequestThatWasTooSlowIsNotPassedOn() {
        check([
            (
                "a body", [.head(.put), .body(5), .wait(10), .body(1), .end] + Self.get + Self.answer,
                [
                    "head 1", "body 5", "408, leave at 10", "response refused", "response end refused",
                ]
            )
        ])
    }

    @Test func inputAfterTheLastResponseIsLimited() {
        let last = [ConnectionEvent.head(connection: "close"), .end] + Self.answer
        let log = ["head 1", "end", "response, close", "response end, leave"]
        let many = Array(repeating: Self.get, count: 64).flatMap(\.self)
        check([
            ("64 KiB", last + [.body(32 * 1024), .body(32 * 1024), .end], log),
            ("a byte more", last + [.body(64 * 1024), .body(1)], log + ["close"]),
            ("64 requests", last + many, log),
            ("65 requests", last + many + [.head()], log + ["close"]),
        ])
    }

    @Test func timeoutsRunByPhase() {
        let first = ["head 1", "end"]
        let answered = ["response", "response end"]
        check([
            ("idle", [.wait(59), .wait(1)], ["close at 60"]),
            ("a request after an idle time", [.wait(59), .bytes, .wait(20)], ["408, leave at 69", "close at 71"]),
            ("bytes do not extend the time of a request", [.bytes, .wait(9), .bytes, .wait(1)], ["408, leave at 10"]),
            ("the handshake does not count", [.bytes, .wait(9), .handshake, .wait(60)], ["close at 69"]),
            (
                "neither the head nor the body extends it", [.bytes, .wait(5), .head(), .wait(4), .body(1), .wait(1)],
                ["head 1", "body 1", "408, leave at 10"]
            ),
            ("a complete request waits for its response", Self.get + [.wait(1000)], first),
            ("a response may take long", Self.get + [.responseHead(), .wait(1000)], first + ["response"]),
            ("a last response too", Self.get + [.responseHead(.close), .wait(1000)], first + ["response, close"]),
            ("the next request", Self.get + Self.answer + [.wait(100)], first + answered + ["close at 60"]),
            (
                "a pipelined request has its own time", Self.get + [.head(), .wait(50)] + Self.answer + [.wait(10)],
                first + answered + ["head 2", "408, leave at 60"]
            ),
            (
                "a response has begun, so there is no 408", [.head(), .wait(3), .responseHead(), .wait(10)],
                ["head 1", "response, close", "close at 10"]
            ),
            (
                "until its request is complete", [.head(), .responseHead(), .end, .wait(1000)],
                ["head 1", "response, close", "end"]
            ),
            (
                "unreadable input gets no 408", [.bytes, .failure, .failure, .wait(100)],
                ["failure", "failure", "close at 60"]
            ),
            ("unreadable body", [.head(), .wait(3), .failure, .wait(100)], ["head 1", "failure", "close at 63"]),
            (
                "unreadable body behind a request", Self.get + [.head(), .failure] + Self.answer + [.wait(100)],
                first + answered + ["head 2", "failure", "close at 60"]
            ),
            (
                "the client leaves within two seconds",
                [.wait(5), .head(connection: "close"), .end] + Self.answer + [.wait(50)],
                first + ["response, close", "response end, leave", "close at 7"]
            ),
        ])
    }

    @Test func writeTimeoutRunsWhileTheClientReadsNothing() {
        let last: [ConnectionEvent] = [.sendSlowly, .head(connection: "close"), .end]
        check([
            ("in any phase", Self.get + [.wait(5), .full, .wait(100)], ["head 1", "end", "close at 25"]),
            ("until it reads", Self.get + [.full, .wait(19), .writable, .wait(1000)], ["head 1", "end"]),
            (
                "instead of a 408", [.full, .wait(15), .head(), .wait(100)], ["head 1", "close at 20"]
            ),
            (
                "for a 408", [.sendSlowly, .bytes, .wait(100)], ["408, leave at 10", "close at 30"]
            ),
            (
                "for the last response", last + Self.answer + [.wait(100)],
                ["head 1", "end", "response, close", "response end, leave", "close at 20"]
            ),
        ])
    }

    /// Clients that pipeline requests of any size, services that respond when they like, and errors, drains and pauses
    /// in between.
    @Test func randomConversationsLoseAndReorderNothing() {
        for seed in 0..<2000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var connection = TestConnection()
            connection.talk(&random, turns: 60)
            let fault = connection.fault
            #expect(fault == nil, "seed \(seed): \(fault ?? ""): \(connection.log)")
        }
    }
}
