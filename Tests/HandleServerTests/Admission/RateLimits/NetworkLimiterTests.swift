import HandleRegistry
import Testing

@testable import HandleServer

@Suite struct NetworkLimiterTests {
    private let beginning = ContinuousClock.now
    private let rate: Rate

    init() throws { rate = try #require(Rate(10, perSeconds: 1000)) }

    private func address(_ text: String) throws -> InternetAddress { try #require(InternetAddress(text)) }

    @Test func quotaThatIsGivenBackCanBeTakenAgain() throws {
        let limiter = NetworkLimiter(remembered: 1600)
        for text in ["2001:db8::", "192.0.2.1"] {
            let address = try address(text)
            for _ in 0..<1000 {
                #expect(limiter.take(10, of: rate, for: address, at: beginning + .seconds(5)).state.isAllowed)
                limiter.giveBack(10, of: rate, for: address)
            }
            #expect(limiter.take(of: rate, for: address, at: beginning + .seconds(5)).state.remaining == 9)
        }
    }

    @Test func networkLimiterIsBoundedAndCountsFurtherCallersByNetwork() throws {
        let limiter = NetworkLimiter(remembered: 1600)
        func ask(_ network: UInt128, _ cost: Int = 1) -> Bool {
            limiter.take(cost, of: rate, for: InternetAddress(network << 80), at: beginning).state
                .isAllowed
        }
        func askIPv4(_ number: UInt128) -> Bool {
            limiter.take(
                of: rate, for: InternetAddress(0xFFFF_0000_0000 | number), at: beginning
            ).state.isAllowed
        }
        for network in 0..<20_000 { _ = ask(UInt128(network), 10) }
        for number in 0..<20_000 { _ = askIPv4(UInt128(number)) }
        #expect(limiter.remembered <= 3 * 1600)
        // An IPv4 network of 16 bits gets no more than its own quota if its subscribers have no entry.
        #expect((20_000..<60_000).count { askIPv4(UInt128($0)) } <= 160)
        // Networks without a call so far have their quota, except the few that share a slot with another.
        #expect((100_000..<101_000).count { ask(UInt128($0)) } > 500)
        #expect(askIPv4(0xC000_0201))
    }
}
