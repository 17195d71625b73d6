import Foundation
import TestSupport
import Testing

@testable import HandleServer

/// The limits on the connections from one address, subscriber or network.
@Suite struct ConnectionSharesTests {
    private func address(_ text: String) throws -> InternetAddress { try #require(InternetAddress(text)) }

    @Test func eachAddressHasItsOwnConnectionLimit() throws {
        let shares = ConnectionShares(2, except: [])
        let (one, other) = (try address("192.0.2.1"), try address("192.0.2.2"))
        #expect(shares.take(for: one) && shares.take(for: one) && !shares.take(for: one))
        #expect(shares.take(for: other))
        // The addresses of one subscriber share a limit.
        let (subscriber, next) = try (address("2001:db8::1"), address("2001:db8:0:1::1"))
        #expect(try shares.take(for: subscriber) && shares.take(for: address("2001:db8::2")))
        #expect(try !shares.take(for: address("2001:db8::3")) && shares.take(for: next))
        shares.giveBack(for: one)
        #expect(shares.take(for: one) && !shares.take(for: one))
        for address in [one, one, other, subscriber, subscriber, next] { shares.giveBack(for: address) }
        #expect(shares.addresses == 0)
    }

    @Test func largerNetworksHaveHigherLimitsUpToHalfOfAllConnections() throws {
        // A network of 56 bits may have eight connections, and one of 48 bits twelve, which is half of all.
        let shares = ConnectionShares(2, of: 24, except: [])
        func taken(_ texts: [String]) throws -> [InternetAddress] { try texts.map(address).filter(shares.take) }
        let site = try taken((0..<20).map { "2001:db8:0:\($0)::1" })
        #expect(site.count == 8)
        let network = try taken((1..<20).map { "2001:db8:0:\($0)00::1" })
        #expect(network.count == 4)
        #expect(try taken(["2001:db8:1::1", "192.0.2.1"]).count == 2)
        for address in site + network { shares.giveBack(for: address) }
        #expect(shares.addresses == 2)
        #expect(try taken((0..<20).map { "2001:db8:0:\($0)::1" }).count == 8)
    }

    @Test func connectionsOfLoopbackAndTrustedProxiesAreNotCounted() throws {
        let proxies = try #require(AddressRange("10.0.0.0/8"))
        let shares = ConnectionShares(1, except: ServerConfiguration().neighbours + [proxies])
        for _ in 0..<3 {
            for text in ["127.0.0.1", "::1", "10.9.8.7"] { #expect(try shares.take(for: address(text))) }
        }
        #expect(shares.addresses == 0)
    }

    @Test(.timeLimit(.minutes(5))) func connectionOverTheLimitIsClosedUntilAnotherEnds() async throws {
        let drain = Drain()
        try await withServer(
            drain: drain,
            configure: {
                $0.neighbours = []
                $0.limits.connectionsPerAddress = 3
                $0.limits.idleTime = .seconds(600)
            }
        ) { client, _ in
            var connections = try (0..<3).map { _ in try client.connect() }
            try await eventually("three connections are open") { drain.load.connections == 3 }
            let refused = try client.connect()
            let words = await HTTPClient.rest(of: refused)
            #expect(words.isEmpty)
            close(refused)
            close(connections.removeLast())
            // The slot is free once the service has noticed the close.
            var metrics = ""
            try await eventually("a slot is free") {
                metrics = (try? await client.send("GET", "/metrics"))?.body ?? ""
                return metrics.contains("handles_connections 3\n")
            }
            #expect(!metrics.contains("handles_connections_refused_total 0\n"))
            for connection in connections { close(connection) }
        }
    }
}
