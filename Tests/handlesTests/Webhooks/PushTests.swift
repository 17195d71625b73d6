import Foundation
import HandleRegistry
import TestService
import TestSupport
import Testing

@Suite struct PushTests {
    private let folder = TestFolder("push")

    private func run(_ address: String, _ arguments: String..., on database: String) async throws -> Program.Result {
        let secret = try folder.file("hook.secret", Pusher.secret)
        return try await Program.run(
            ["push", "--to", address, "--secret-file", secret] + arguments, in: folder.path,
            ["DATABASE_URL": database])
    }

    @Test(.timeLimit(.minutes(5))) func eventsAreSignedAndSentInOrder() async throws {
        let fed = try await FedRegistry()
        try await fed.claim("JohnDoe", "janedoe")
        let receiver = try HTTPReceiver()
        let address = receiver.address.replacing("http://", with: "http://me:secret@") + "?token=secret#x"
        let push = try Pusher(to: address, ["--after", "0"], in: folder, on: fed.database)
        try await push.begun()
        try await fed.claim("jorinde_3")
        try await eventually("all are delivered") { receiver.requests.count == 3 }
        try await eventually("the position is stored") { try await fed.position() == 3 }
        #expect(await push.end(SIGTERM) == 0)
        #expect(push.words == "delivering to \(receiver.address), after event 0\nstopped\n")

        let requests = receiver.requests
        #expect(requests.map(\.seq) == [1, 2, 3])
        let first = try #require(requests.first)
        #expect(first.line == "POST /hook?token=secret HTTP/1.1")
        #expect(first.headers["content-type"] == "application/json" && first.headers["webhook-id"] == "evt_1")
        #expect(first.headers["authorization"] == "Basic bWU6c2VjcmV0")
        let time = #/"20[0-9T:.-]+Z"/#
        #expect(
            first.body.replacing(time, with: "T") == #"{"type":"handle.claimed","timestamp":T,"data":{"seq":1,"at":T,"#
                + #""handle":"johndoe","display":"JohnDoe","action":"claimed","from":"free","to":"claimed","#
                + #""owner":"owner-of-JohnDoe","version":1}}"#)
        for request in requests { try expectSigned(request) }
    }

    /// The signature is that of the body as it came.
    private func expectSigned(_ request: HTTPReceiver.Request) throws {
        let key = try #require(Data(base64Encoded: String(Pusher.secret.dropFirst("whsec_".count))))
        let id = try #require(request.headers["webhook-id"])
        let time = try #require(request.headers["webhook-timestamp"])
        let code = SHA256(authenticating: Array("\(id).\(time).\(request.body)".utf8), with: Array(key))
        #expect(request.headers["webhook-signature"] == "v1,\(Data(code.bytes).base64EncodedString())")
        #expect(id == "evt_\(request.seq)")
        #expect(abs(try #require(Double(time)) - Date.now.timeIntervalSince1970) < 3600)
    }

    /// The receiver fails half of the time: with a status, with a redirect, and by cutting the connection.
    @Test(.timeLimit(.minutes(10))) func noEventIsLostBetweenAFailingReceiverAndAKilledProgram() async throws {
        let fed = try await FedRegistry()
        try await fed.claim("jorinde_1", "jorinde_2", "jorinde_3")
        let receiver = try HTTPReceiver { number, _ in
            switch number % 6 {
            case 1: .status(500)
            case 3: .cut
            case 5: .status(302, ["Location": "/elsewhere"])
            default: .status(200)
            }
        }
        let killed = try Pusher(to: receiver.address, ["--after", "0"], in: folder, on: fed.database)
        try await eventually("some are delivered") { receiver.requests.contains { $0.seq == 2 } }
        #expect(await killed.end(SIGKILL) == SIGKILL)
        // Until the lease ends, it could be there still.
        try await fed.lengthenLease()
        let early = try await run(receiver.address, on: fed.database)
        #expect(early.status == 69)
        #expect(early.words.hasPrefix("handles: another program delivers to \(receiver.address): stop it first"))
        #expect(early.words.hasSuffix("if it was killed, try again in 30 seconds\n"))

        try await fed.endLease()
        try await fed.claim("jorinde_4", "jorinde_5", "jorinde_6")
        let push = try Pusher(to: receiver.address, in: folder, on: fed.database)
        try await eventually("the last one is accepted") { try await fed.position() == 6 }
        #expect(await push.end(SIGINT) == 0)
        let sent = receiver.requests
        // First sightings.
        let seen = sent.map(\.seq).reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }
        #expect(seen == Array(1...6))
        #expect(sent.allSatisfy { $0.line == "POST /hook HTTP/1.1" })
        for request in sent { try expectSigned(request) }
    }

    @Test(.timeLimit(.minutes(5))) func absenceOfTheReceiverIsToldOnce() async throws {
        let fed = try await FedRegistry()
        try await fed.claim("jorinde_1", "jorinde_2")
        let receiver = try HTTPReceiver(isOpen: false)
        let push = try Pusher(
            to: receiver.address, ["--after", "0", "--name", "index"], in: folder, on: fed.database)
        let away = "\(receiver.address) does not accept event 1: there is no connection to it; trying until it does"
        try await eventually("it is told") { push.words.contains(away) }
        try receiver.open()
        try await eventually("the event is delivered") { try await fed.position() == 2 }
        #expect(await push.end(SIGTERM) == 0)
        #expect(push.words.components(separatedBy: "does not accept").count == 2)
        #expect(push.words.contains("\(receiver.address) is back after "))
        #expect(push.words.hasSuffix(" s; delivering after event 1\nstopped\n"))
        #expect(try await number("SELECT count(*) FROM feed_cursors WHERE receiver = 'index'", on: fed.database) == 1)
    }

    @Test(.timeLimit(.minutes(5))) func deliveryGoesOnAfterAFaultOfTheDatabase() async throws {
        let fed = try await FedRegistry()
        let proxy = try ChaosProxy(to: fed.database)
        let receiver = try HTTPReceiver()
        let push = try Pusher(
            to: receiver.address, in: folder, on: proxy.conninfo(fed.database),
            ["HANDLES_LOG": "json", "HANDLES_DATABASE_TIME": "10s"])
        try await push.begun()
        proxy.set(.cut)
        try await eventually("the fault is noticed") { push.words.contains("waiting for the database") }
        try await fed.claim("jorinde_1")
        proxy.set(.calm)
        try await eventually("the event is delivered") { try await fed.position() == 1 }
        #expect(await push.end(SIGTERM) == 0)
        #expect(push.words.contains("the database is back"))
        #expect(push.words.split(separator: "\n").allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
        #expect(receiver.requests.map(\.seq) == [1])
    }

    @Test(.timeLimit(.minutes(5))) func newReceiverBeginsAtTheEndOfTheFeed() async throws {
        let fed = try await FedRegistry()
        try await fed.claim("jorinde_1")
        let receiver = try HTTPReceiver()
        let push = try Pusher(to: receiver.address, in: folder, on: fed.database)
        try await push.begun()
        try await fed.claim("jorinde_2")
        try await eventually("the event is delivered") { try await fed.position() == 2 }
        // The cursor is one program's, and has a position already.
        let second = try await run(receiver.address, on: fed.database)
        #expect(second.status == 69 && second.words.contains("another program delivers to \(receiver.address)"))
        #expect(await push.end(SIGTERM) == 0)
        #expect(receiver.requests.map(\.seq) == [2])
        let known = try await run(receiver.address, "--after", "0", on: fed.database)
        #expect(known.status == 64)
        #expect(known.words.contains("\(receiver.address) has accepted the events up to 2 already: leave out --after"))
        let future = try await run(receiver.address, "--name", "x", "--after", "9", on: fed.database)
        #expect(future.status == 64 && future.words == "handles: --after is 9, and the last event of the feed is 2\n")
    }

    @Test(.timeLimit(.minutes(5))) func programThatHasLostItsCursorEnds() async throws {
        let fed = try await FedRegistry()
        let receiver = try HTTPReceiver()
        let push = try Pusher(to: receiver.address, in: folder, on: fed.database)
        try await push.begun()
        try await execute(
            "UPDATE feed_cursors SET holder = 'other', lease_end = now() + interval '1 hour'", on: fed.database)
        try await fed.claim("jorinde_1")
        #expect(await push.ended() == 69)
        #expect(push.words.hasSuffix("delivers to \(receiver.address) now, so this one has ended\n"))
        #expect(try await fed.position() == 0)
    }

    @Test(.timeLimit(.minutes(5))) func receiverThatIsGoneEndsTheProgram() async throws {
        let fed = try await FedRegistry()
        try await fed.claim("jorinde_1")
        let receiver = try HTTPReceiver { number, _ in .status(number == 1 ? 410 : 200) }
        let gone = try await run(receiver.address, "--after", "0", on: fed.database)
        #expect(gone.status == 69)
        #expect(gone.words.contains("handles: \(receiver.address) wants no more events: it answered event 1 with 410"))
        // The cursor was released, where it was.
        let push = try Pusher(to: receiver.address, in: folder, on: fed.database)
        try await eventually("the event is delivered") { try await fed.position() == 1 }
        #expect(await push.end(SIGTERM) == 0)
    }

    @Test func feedThatIsOffOrExpiredIsRefusedWithAdvice() async throws {
        let fed = try await FedRegistry()
        try await fed.claim("jorinde_1", "jorinde_2")
        let cursor = FeedCursor(fed.registry, of: "index")
        #expect(try await cursor.take(beginningAfter: 1) == 1)
        try await cursor.release()
        try await fed.registry.keepFeed(for: .zero)
        let off = try await run("http://127.0.0.1:9/", on: fed.database)
        #expect(off.status == 69 && off.words.hasPrefix("handles: the feed is off: set HANDLES_FEED"))
        #expect(try await number("SELECT count(*) FROM feed_cursors", on: fed.database) == 1)
        try await fed.registry.keepFeed(for: .seconds(60))
        for (arguments, advice) in [
            (["--name", "index"], "under a new name: --name index-2 --after SEQ"),
            (["--name", "mail", "--after", "1"], "the seq in its last line: --after SEQ"),
        ] {
            let expired = try await Program.run(
                ["push", "--to", "http://127.0.0.1:9/", "--secret-file", "hook.secret"] + arguments, in: folder.path,
                ["DATABASE_URL": fed.database])
            #expect(expired.status == 69, "\(expired)")
            #expect(expired.words.hasPrefix("handles: the feed does not have the events after 1 any more: it has no"))
            #expect(expired.words.hasSuffix("\(advice)\n"))
        }
        // As advised.
        let end = try await Program.run(["export", "--history"], in: folder.path, ["DATABASE_URL": fed.database])
        let seq = try #require(end.output.firstMatch(of: #/"seq":([0-9]+)/#)).output.1
        let receiver = try HTTPReceiver()
        let push = try Pusher(
            to: receiver.address, ["--name", "index-2", "--after", String(seq)], in: folder, on: fed.database)
        try await push.begun()
        try await fed.claim("jorinde_3")
        try await eventually("the event is delivered") { receiver.requests.map(\.seq) == [try #require(Int(seq)) + 1] }
        #expect(await push.end(SIGTERM) == 0)
    }

    @Test(arguments: [
        ("--to ftp://x/ --secret-file s", "--to is an address such as https://app.example/hook."),
        ("--to app.example --secret-file s", "--to is an address such as"),
        ("--to https:///x --secret-file s", "--to is an address such as"),
        ("--to http://x/ --secret-file s --after -1", "--after is a number from 0 on."),
        ("--to http://x/ --secret-file s --name \u{1B}", "--name is a text of 1 to 500 bytes without control"),
        ("--to http://x/", "Missing expected argument '--secret-file <file>'"),
    ])
    func wrongOptionsAreRefused(_ words: String, _ rule: String) async throws {
        let arguments = ["push"] + words.split(separator: " ").map(String.init)
        let result = try await Program.run(arguments, in: folder.path)
        #expect(result.status == 64 && result.words.contains(rule), "\(result)")
    }

    @Test(
        arguments: [
            (nil, 66, "hook.secret"), ("", 65, "is empty: a secret is whsec_ and then 24 to 64"),
            ("\n \n", 65, "is empty"), ("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 65, "has a line that is not a secret"),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa!w", 65, "has a line that is not a secret"),
            ("whsec_MfKQ9r8G", 65, "has a secret of 6 bytes"),
            ("\(Pusher.secret)\nsecond", 65, "has a line that is not a secret"),
        ] as [(String?, Int, String)])
    func unusableSecretFileIsRefused(_ content: String?, _ status: Int, _ words: String) async throws {
        if let content { try folder.file("hook.secret", content) }
        let result = try await Program.run(
            ["push", "--to", "http://127.0.0.1:9/", "--secret-file", "hook.secret"], in: folder.path)
        #expect(result.status == status && result.words.contains(words), "\(result)")
        #expect(!result.words.contains("MfKQ9r8G") && result.words.split(separator: "\n").count == 1)
    }
}
