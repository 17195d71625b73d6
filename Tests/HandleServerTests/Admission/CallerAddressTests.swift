import HTTPTypes
import Hummingbird
import Testing

@testable import HandleServer

@Suite struct CallerAddressTests {
    @Test(arguments: [
        ("192.0.2.0/24", "192.0.2.255", true), ("192.0.2.0/24", "192.0.3.0", false),
        ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
        ("2001:db8::/65", "2001:db8::7fff:0:0:1", true), ("2001:db8::/65", "2001:db8::8000:0:0:1", false),
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "::ffff:127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
    ])
    func addressRangeContainsTheAddressesOfItsNetwork(_ network: String, _ address: String, _ isIn: Bool) throws {
        let range = try #require(AddressRange(network))
        #expect(range.contains(try #require(InternetAddress(address))) == isIn)
    }

    @Test(arguments: [
        "", "192.0.2.1/24", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/", "192.0.2.0/24/8", "localhost",
        "2001:db8::/129",
        "192.0.2.0/+8", "/8",
    ])
    func malformedAddressRangeIsRefused(_ text: String) { #expect(AddressRange(text) == nil) }

    @Test(arguments: [
        // Each proxy appends the address of its peer. Only the entries that trusted proxies wrote count.
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6, 198.51.100.1, 10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6", "198.51.100.1,10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1:4711"], "198.51.100.1"),
        ("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        // A trusted proxy writes only addresses, so an entry that is none ends the search.
        ("10.0.0.1", ["198.51.100.1, nonsense, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", [""], "10.0.0.1"), ("10.0.0.1", [], "10.0.0.1"), ("10.0.0.1", [",,"], "10.0.0.1"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
    ])
    func callerIsTheLastAddressThatIsNoTrustedProxy(_ peer: String, _ forwarded: [String], _ expected: String) throws {
        let finder = CallerAddress(trustedProxies: [try #require(AddressRange("10.0.0.0/8"))])
        var head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
        for value in forwarded { head.headerFields.append(.init(name: .init("X-Forwarded-For")!, value: value)) }
        let found = finder.of(Request(head: head, body: .init(buffer: .init())), from: InternetAddress(peer))
        #expect(found == InternetAddress(expected))
    }
}
