/// The origins of pages that may read responses in a browser (the CORS protocol of the Fetch standard). None by default.
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
        let origin =
            #/(https?)://(?:[a-z0-9_][a-z0-9_-]*(?:\.[a-z0-9_][a-z0-9_-]*)*|\[[0-9a-f:]{3,}\])(?::([1-9][0-9]{0,4}))?/#
        guard let match = text.wholeMatch(of: origin) else { return false }
        guard let port = match.2.flatMap({ Int($0) }) else { return true }
        return port <= 65535 && port != (match.1 == "https" ? 443 : 80)
    }
}
