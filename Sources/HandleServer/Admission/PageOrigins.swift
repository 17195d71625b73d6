/// The origins of pages that may read availability in a browser (the CORS protocol of the Fetch standard). None by
/// default.
package struct PageOrigins: Sendable, Hashable {
    private let origins: Set<String>

    package init() { origins = [] }

    package var isEmpty: Bool { origins.isEmpty }

    /// - Parameter texts: the origins, spelled as browsers send them.
    /// - Throws: ``Unusable`` for a text that no browser would send.
    package init(_ texts: [String]) throws(Unusable) {
        for text in texts where !Self.isOrigin(text) { throw Unusable(text: text) }
        origins = Set(texts)
    }

    /// A text that is not an origin.
    package struct Unusable: Error {
        package let text: String
        package static let rule =
            "an origin looks like https://app.example or http://localhost:3000, in lowercase and without a path"
    }

    func contains(_ origin: String) -> Bool { origins.contains(origin) }

    /// Whether a text is `scheme://host[:port]`, with the host in lowercase and without the scheme's default port.
    private static func isOrigin(_ text: String) -> Bool {
        guard let scheme = ["https", "http"].first(where: { text.hasPrefix($0 + "://") }) else { return false }
        let authority = text.dropFirst(scheme.count + 3)
        let (host, port) = split(authority)
        return isHost(host) && (port.map { isPort($0, usual: scheme == "https" ? 443 : 80) } ?? true)
    }

    /// Host and port; an IPv6 address is in brackets.
    private static func split(_ authority: Substring) -> (host: Substring, port: Substring?) {
        let end = authority.lastIndex(of: "]").map { authority.index(after: $0) } ?? authority.startIndex
        guard let colon = authority[end...].firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    private static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("[") {
            return host.count > 4 && host.hasSuffix("]")
                && host.utf8.dropFirst().dropLast().allSatisfy { isHexDigit($0) || $0 == UInt8(ascii: ":") }
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            !label.isEmpty && !label.hasPrefix("-")
                && label.utf8.allSatisfy {
                    isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                }
        }
    }

    private static func isPort(_ port: Substring, usual: Int) -> Bool {
        guard (1...5).contains(port.utf8.count), port.utf8.allSatisfy(isDigit), !port.hasPrefix("0"),
            let number = Int(port)
        else { return false }
        return number <= 65535 && number != usual
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
    private static func isLetter(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }
    private static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || byte &- UInt8(ascii: "a") < 6 }
}
