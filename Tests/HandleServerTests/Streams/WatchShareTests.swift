import Foundation
import HandleRegistry
import TestSupport
import Testing

@testable import HandleServer

/// The limits on the streams of one caller.
@Suite(.timeLimit(.minutes(5))) struct WatchShareTests {
    private let path = "/v1/availability/watch?handle=johndoe"

    @Test func callerMayHaveAQuarterOfTheStreams() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let key = try await store.newKey([.read]).text
        // Room for four streams.
        try await withServer(registry, keys: store, configure: { $0.limits.connections = 8 }) {
            [path] client, anonymous in
            var streams = [try await anonymous.events(path).makeAsyncIterator()]
            #expect(await streams[0].next() == "available")
            for _ in 0..<3 {
                let refused = try await anonymous.send("GET", path)
                #expect(refused.status == 429 && refused.json["code"] as? String == "too_many_streams")
                #expect(refused.headers["retry-after"] == "10")
            }
            for caller in [client, HTTPClient(port: client.port, key: key)] {
                var iterator = try await caller.events(path).makeAsyncIterator()
                #expect(await iterator.next() == "available")
            }
        }
    }

    @Test func lastQuarterOfTheStreamsIsForCallersWithoutAStream() async throws {
        let watches = Watches(try await freshRegistry(), maxWatchers: 16)
        /// Opens streams until the limits allow no more.
        func open(_ caller: Watches.Party, _ count: Int = 1) -> [Watches.Watch] {
            (0..<count).compactMap { _ in try? watches.watch("johndoe", by: caller) }
        }
        func refusal(_ caller: Watches.Party) -> RegistryError.Code? {
            do { try watches.watch("johndoe", by: caller).end() } catch { return (error as? RegistryError)?.code }
            return nil
        }
        func network(_ text: String) throws -> Watches.Party {
            .init(.anyone, from: try #require(InternetAddress(text)).subscriber)
        }
        let first = open(Watches.Party("key:a"), 5)
        #expect(refusal(Watches.Party("key:a")) == .shareUsed)
        // Many networks of 64 bits in one of 48 bits may have eight streams together.
        let many = try (0..<20).flatMap { open(try network("2001:db8:0:\($0)::1")) }
        // Four slots are left, one for each caller without a stream.
        let next = open(Watches.Party("person:b"), 2)
        let others = try ["192.0.2.1", "192.0.2.2", "2001:db8:1::1", "192.0.2.3"].flatMap { open(try network($0)) }
        #expect([first, many, next, others].map(\.count) == [4, 8, 1, 3])
        #expect(try refusal(network("192.0.2.4")) == .overloaded)
        // A stream that ends frees its slot and its part of the caller's share.
        for watch in first + many + next + others { watch.end() }
        #expect(watches.count == 0)
        let again = open(Watches.Party("key:a"), 4)
        #expect(again.count == 4)
    }
}
