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

    private let get: [ConnectionEvent] = [.bytes, .head(), .end]
    private let answer: [ConnectionEvent] = [.responseHead(), .responseEnd]
    // Parts of the log.
    private let first = ["head 1", "end"]
    private let second = ["head 2", "end"]
    private let answered = ["response", "response end"]
    private let last = ["response, close", "response end, leave"]

    @Test func requestsAreAnsweredOneAfterTheOther() {
        check([
            ("one request", get + answer, first + answered),
            ("a request after the response", get + answer + get + answer, first + answered + second + answered),
            (
                "pipelined requests", get + get + get + answer + answer,
                first + answered + second + answered + ["head 3", "end"]
            ),
            (
                "a pipelined request while the response is being written",
                get + [.responseHead()] + get + [.responseEnd],
                first + answered + second
            ),
            (
                "the start of a pipelined request", get + [.head(), .body(7)] + answer + [.body(5), .end],
                first + answered + ["head 2", "body 7", "body 5", "end"]
            ),
            (
                "a response with status 100 for a body", [.bytes, .head(expect: "100-Continue"), .body(3), .end],
                ["100", "head 1", "body 3", "end"]
            ),
            (
                "the same for a pipelined request", get + [.head(expect: "100-continue")] + answer,
                first + answered + ["100", "head 2"]
            ),
        ])
    }

    @Test func noRequestFollowsTheLastResponse() {
        let refused = first + last
        check([
            ("the client wants to close", [.head(connection: "Close"), .end] + answer + get, refused),
            ("among other options", [.head(connection: "TE , close"), .end] + answer + get, refused),
            ("the decoder reads no further: CONNECT", [.head(.connect), .end] + answer + get, refused),
            ("the decoder reads no further: Upgrade", [.head(upgrade: "h2c"), .end] + answer + get, refused),
            ("another option", [.head(connection: "keep-alive, TE"), .end] + answer, first + answered),
            ("the service wants to close", get + [.responseHead(.close), .responseEnd] + get, refused),
            ("the service is draining", get + [.drain] + answer + get, refused),
            ("the next request waits already", get + get + [.responseHead(.close), .responseEnd], refused),
            (
                "the wish of the first request only", [.head(connection: "close"), .end] + answer + answer,
                refused + ["response refused", "response end refused"]
            ),
            (
                "a request that is not complete", [.head(), .body(1)] + answer + [.body(2), .end] + get,
                ["head 1", "body 1"] + last
            ),
            (
                "the rest of a request while its response is written",
                [.head(), .responseHead(), .body(2), .end] + get + [.responseEnd],
                ["head 1", "response, close", "body 2", "end", "response end, leave"]
            ),
            ("no request", [.bytes, .failure] + answer + get, ["failure"] + last),
        ])
    }

    /// Once the client has closed its side, the connection is closed after the response, when all of it is sent.
    @Test func responseAfterTheEndOfTheInputIsTheLast() {
        check([
            ("the end before the response", get + [.inputClosed] + answer, first + ["input closed"] + last),
            (
                "the end while it is written", get + [.responseHead(), .inputClosed, .responseEnd],
                first + ["response", "input closed", "response end, leave"]
            ),
            (
                "the end behind another request", get + get + [.inputClosed] + answer + answer,
                first + answered + second + ["input closed"] + last
            ),
        ])
    }

    @Test func closeWaitsUntilTheResponsesAreSent() {
        let response = first + ["response"]
        check([
            ("between requests", get + answer + [.finish], response + ["response end", "close when sent"]),
            (
                "for the time of a write", [.wait(5), .finish, .finish, .wait(100)],
                ["close when sent", "close ignored", "close at 25"]
            ),
            (
                "after the last response", get + [.responseHead(.close), .responseEnd, .finish],
                first + last + ["close ignored"]
            ),
            ("after a byte, which may have been of TLS", [.bytes, .finish], ["close when sent"]),
            ("not if the service stops", [.finish, .stop], ["close when sent", "close"]),
            ("nor before that", [.stop, .finish], ["input closed by the service", "close"]),
            ("not within a response", get + [.responseHead(), .finish], response + ["close"]),
            ("not within a request", [.head(), .finish], ["head 1", "close"]),
        ])
    }

    @Test func readsErrorsAndTheEndWaitBehindPipelinedRequests() {
        check([
            ("nothing waits", get + [.read, .inputClosed], first + ["read", "input closed"]),
            (
                "a read waits until no request does",
                get + get + get + [.read, .read] + answer + answer,
                first + answered + second + answered + ["head 3", "end", "read"]
            ),
            (
                "input after a read that waits", get + get + [.read] + get + answer + answer,
                first + answered + second + answered + ["head 3", "end", "read"]
            ),
            (
                "an error, then the end",
                get + get + [.failure, .inputClosed, .failure] + answer + answer + answer,
                first + answered + second + ["failure", "input closed"] + answered
                    + last
            ),
            (
                "an error behind the request in progress", get + [.failure] + answer + answer,
                first + ["failure"] + answered + last
            ),
            (
                "the last response drops the requests, and nothing else",
                get + get + [.read, .failure, .inputClosed, .responseHead(.close)],
                first + ["response, close", "failure", "input closed", "read"]
            ),
        ])
    }

    /// A malformed head is not passed on, but the decoder goes on with its body and the requests behind it.
    @Test func nothingFollowsUnreadableInput() {
        check([
            ("after the head", [.bytes, .failure, .body(3), .end] + get + answer, ["failure"] + last),
            (
                "within the body", [.head(), .body(1), .failure, .end] + get + answer,
                ["head 1", "body 1", "failure"] + last
            ),
            (
                "behind a request in progress", get + [.failure] + get + answer + [.body(1)],
                first + ["failure"] + answered
            ),
        ])
    }

    @Test func inputAfterTheLastResponseIsLimited() {
        let ending = [ConnectionEvent.head(connection: "close"), .end] + answer
        let log = first + last
        let many = Array(repeating: get, count: 64).flatMap(\.self)
        check([
            ("64 KiB", ending + [.body(32 * 1024), .body(32 * 1024), .end], log),
            ("a byte more", ending + [.body(64 * 1024), .body(1)], log + ["close"]),
            ("64 requests", ending + many, log),
            ("65 requests", ending + many + [.head()], log + ["close"]),
        ])
    }

    @Test func timeoutsRunByPhase() {
        check([
            ("idle", [.wait(59), .wait(1)], ["close at 60"]),
            ("a request after an idle time", [.wait(59), .bytes, .wait(20)], ["408, leave at 69", "close at 71"]),
            ("bytes do not extend the time of a request", [.bytes, .wait(9), .bytes, .wait(1)], ["408, leave at 10"]),
            ("the handshake does not count", [.bytes, .wait(9), .handshake, .wait(60)], ["close at 69"]),
            (
                "neither the head nor the body extends it", [.bytes, .wait(5), .head(), .wait(4), .body(1), .wait(1)],
                ["head 1", "body 1", "408, leave at 10"]
            ),
            ("a complete request waits for its response", get + [.wait(1000)], first),
            ("a response may take long", get + [.responseHead(), .wait(1000)], first + ["response"]),
            ("a last response too", get + [.responseHead(.close), .wait(1000)], first + ["response, close"]),
            ("the next request", get + answer + [.wait(100)], first + answered + ["close at 60"]),
            (
                "a pipelined request has its own time", get + [.head(), .wait(50)] + answer + [.wait(10)],
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
                "unreadable body behind a request", get + [.head(), .failure] + answer + [.wait(100)],
                first + answered + ["head 2", "failure", "close at 60"]
            ),
            (
                "the client leaves within two seconds",
                [.wait(5), .head(connection: "close"), .end] + answer + [.wait(50)],
                first + last + ["close at 7"]
            ),
        ])
    }

    @Test func writeTimeoutRunsWhileTheClientReadsNothing() {
        let ending: [ConnectionEvent] = [.sendSlowly, .head(connection: "close"), .end]
        check([
            ("in any phase", get + [.wait(5), .full, .wait(100)], first + ["close at 25"]),
            ("until it reads", get + [.full, .wait(19), .writable, .wait(1000)], first),
            ("instead of a 408", [.full, .wait(15), .head(), .wait(100)], ["head 1", "close at 20"]),
            ("for a 408", [.sendSlowly, .bytes, .wait(100)], ["408, leave at 10", "close at 30"]),
            ("for the last response", ending + answer + [.wait(100)], first + last + ["close at 20"]),
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
