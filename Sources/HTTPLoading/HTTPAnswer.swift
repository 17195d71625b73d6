package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// The answer of a server.
package struct HTTPAnswer: Sendable {
    package let response: HTTPURLResponse
    /// Empty in an ``HTTPStream``, which has the parts.
    package let body: Data
    /// By names in lowercase. Fields that came more than once are joined with commas, as URLSession gives them.
    package let fields: [String: String]

    package init(_ response: HTTPURLResponse, _ body: Data) {
        self.response = response
        self.body = body
        var fields: [String: String] = [:]
        for case (let name as String, let value as String) in response.allHeaderFields {
            fields[name.lowercased()] = value
        }
        self.fields = fields
    }

    package var status: Int { response.statusCode }

    package var retryAfter: Duration? { Duration(retryAfterIn: fields) }
}

extension Duration {
    /// The pause that `Retry-After` asks for: seconds, or a date, which is compared with the server's own. A year at most.
    /// - Parameter fields: by names in lowercase.
    package init?(retryAfterIn fields: [String: String]) {
        guard let field = fields["retry-after"]?.trimmingCharacters(in: .whitespaces) else { return nil }
        let longest: Int64 = 86_400 * 365
        if let seconds = Int64(field) {
            guard seconds >= 0 else { return nil }
            self = .seconds(min(seconds, longest))
        } else {
            guard let end = HTTPDate.read(field), let now = fields["date"].flatMap(HTTPDate.read) else { return nil }
            self = .seconds(max(0, min(end.timeIntervalSince(now), Double(longest))))
        }
    }

    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

/// An answer whose body is read as it comes.
package struct HTTPStream: Sendable {
    /// Without the body.
    package let answer: HTTPAnswer
    /// The parts of the body. The stream throws ``LoadError`` if the body ends early; to stop reading it ends the request.
    package let parts: AsyncThrowingStream<Data, any Error>
}

/// Why there is no answer.
package enum LoadError: Error {
    /// The server did not get the request.
    case unsent
    /// The server may have got the request, and may have acted on it.
    case lost
    case cancelled
}

extension LoadError {
    /// Errors before there is a connection, so the request was not sent.
    private static let unsentCodes: Set<URLError.Code> = [
        .badURL, .unsupportedURL, .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet,
        .internationalRoamingOff, .callIsActive, .dataNotAllowed, .secureConnectionFailed,
        .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
        .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired,
        .appTransportSecurityRequiresSecureConnection,
    ]

    init(_ error: any Error) {
        switch (error as? URLError)?.code {
        case .cancelled?: self = .cancelled
        case let code? where Self.unsentCodes.contains(code): self = .unsent
        default: self = .lost
        }
    }
}
