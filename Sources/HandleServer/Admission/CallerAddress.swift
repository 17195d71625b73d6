import HTTPTypes
import Hummingbird

/// Finds the client's address behind trusted proxies.
struct CallerAddress: Sendable {
    let trustedProxies: [AddressRange]

    /// Each proxy appends its peer to `X-Forwarded-For`. The list is read from the right, up to the first address that
    /// is not a trusted proxy. The entries left of it may be forged.
    func of(_ request: Request, from peer: InternetAddress?) -> InternetAddress? {
        guard var address = peer, isProxy(address) else { return peer }
        let hops = request.headers[values: .forwardedFor].flatMap { $0.split(separator: ",") }
        for hop in hops.reversed() {
            guard let next = InternetAddress(Self.withoutPort(hop)) else { return address }
            address = next
            guard isProxy(address) else { break }
        }
        return address
    }

    private func isProxy(_ address: InternetAddress) -> Bool {
        trustedProxies.contains { $0.contains(address) }
    }

    /// Removes the port that some proxies add: `192.0.2.1:4711` or `[2001:db8::1]:4711`.
    private static func withoutPort(_ hop: Substring) -> String {
        let text = hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if text.first == "[" { return String(text.dropFirst().prefix { $0 != "]" }) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return String(parts.count == 2 ? parts[0] : text)
    }
}
