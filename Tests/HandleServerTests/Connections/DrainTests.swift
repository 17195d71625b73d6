import Foundation
import HandleRegistry
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import HandleServer

@Suite(.timeLimit(.minutes(5))) struct DrainTests {
    /// The load balancer behind that request must learn of the drain too, or it would go on sending callers.
    @Test func readyzInFlightWhenDrainingStartsGets503() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database))
        let locker = try await LockedTable("schema_migrations", in: database)
        let drain = Drain()
        try await withServer(registry, drain: drain) { client, _ in
            async let asked = client.send("GET", "/readyz")
            try await eventually("readyz waits for the lock") {
                try await waitingForLocks(on: database, onlyHere: true) > 0
            }
            let clock = ManualClock()
            async let drained: Void = drain.run(notice: .seconds(3), clock: clock)
            try await eventually("the drain has begun its notice period") { clock.sleepers > 0 }
            try await locker.letGo()
            let answer = try await asked
            #expect(answer.status == 503 && answer.json["code"] as? String == "draining")
            clock.advance(by: .seconds(3))
            try await drained
        }
    }

    /// A drain waits for these connections.
    @Test func listenerReportsConnectionsThatWaitToBeAccepted() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.autoRead, value: false).bind(host: "127.0.0.1", port: 0).get()
        #expect(await ListeningSocket.connectionsWaiting(on: listener) == 0)
        let caller = try HTTPClient(port: try #require(listener.localAddress?.port)).connect()
        try await eventually("one connection waits") { await ListeningSocket.connectionsWaiting(on: listener) == 1 }
        listener.read()
        try await eventually("no connection waits") { await ListeningSocket.connectionsWaiting(on: listener) == 0 }
        close(caller)
        try await listener.close()
    }

    @Test func drainFailsReadyzFirstAndThenAcceptsNoNewConnection() async throws {
        let drain = Drain()
        try await withServer(drain: drain) { client, anonymous in
            let before = try await client.send("GET", "/readyz")
            #expect(before.status == 200)
            let clock = ManualClock()
            async let drained: Void = drain.run(notice: .seconds(3), clock: clock)
            try await eventually("the drain has begun its notice period") { clock.sleepers > 0 }
            let (ready, alive, check) = (
                try await client.send("GET", "/readyz"), try await client.send("GET", "/livez"),
                try await anonymous.send(
                    raw: Array("GET /v1/availability?handle=johndoe HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            )
            #expect(ready.status == 503 && ready.json["code"] as? String == "draining")
            #expect(alive.status == 200)
            // The request has no `Connection: close`; the draining service adds it to the answer.
            #expect(check.status == 200 && check.headers["connection"] == "close")
            clock.advance(by: .seconds(3))
            try await drained
            #expect(throws: (any Error).self) { close(try client.connect(within: 0.3)) }
        }
    }
}
