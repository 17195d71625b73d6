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
        let grant = try #require(KeyGrant(name: "app", scopes: [.read]))
        let key = try await store.create(grant, actor: "tester").key.text
        try await store.refresh()
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
        func statuses(_ caller: Watches.Party, _ count: Int) -> ([Watches.Watch], [RegistryError.Code?]) {
            var (open, codes) = ([Watches.Watch](), [RegistryError.Code?]())
            for _ in 0..<count {
                do {
                    open.append(try watches.watch("johndoe", by: caller))
                    codes.append(nil)
                } catch { codes.append((error as? RegistryError)?.code) }
            }
            return (open, codes)
        }
        func network(_ text: String) throws -> Watches.Party {
            .init(.anyone, from: try #require(InternetAddress(text)).subscriber)
        }
        let (first, firstCodes) = statuses(Watches.Party("key:a"), 5)
        #expect(firstCodes == [nil, nil, nil, nil, .shareUsed])
        // Many networks of 64 bits in one of 48 bits may have eight streams together.
        var many: [Watches.Watch] = []
        for site in 0..<20 { many += statuses(try network("2001:db8:0:\(site)::1"), 1).0 }
        #expect(many.count == 8)
        // Four slots are left, one for each caller without a stream.
        let (next, nextCodes) = statuses(Watches.Party("person:b"), 2)
        #expect(nextCodes == [nil, .shareUsed])
        let (others, otherCodes) = (try ["192.0.2.1", "192.0.2.2", "2001:db8:1::1", "192.0.2.3"].map(network)).map {
            statuses($0, 1)
        }.reduce(into: ([Watches.Watch](), [RegistryError.Code?]())) { ($0.0, $0.1) = ($0.0 + $1.0, $0.1 + $1.1) }
        #expect(otherCodes == [nil, nil, nil, .overloaded])
        // A stream that ends frees its slot and its part of the caller's share.
        for watch in first + many + next + others { watch.end() }
        #expect(watches.count == 0)
        let again = statuses(Watches.Party("key:a"), 4)
        #expect(again.1 == [nil, nil, nil, nil])
        withExtendedLifetime((first, many, next, others, again)) {}
    }
}
