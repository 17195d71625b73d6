import HTTPTypes
import Hummingbird

/// Finds out from which address a request comes, when proxies may stand between.
struct CallerAddress: Sendable {
    let trustedProxies: [AddressRange]

    /// Each proxy writes behind the others whom it got the request from. Only what those wrote counts whom we trust: so
    /// it is read from the end, up to the first address that is no proxy of ours. What a caller made up is before that.
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

    /// Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`.
    private static func withoutPort(_ hop: Substring) -> String {
        let text = hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if text.first == "[" { return String(text.dropFirst().prefix { $0 != "]" }) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return String(parts.count == 2 ? parts[0] : text)
    }
}
