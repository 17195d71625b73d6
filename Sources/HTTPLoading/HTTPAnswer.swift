package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// The response of a server.
package struct HTTPAnswer: Sendable {
    package let response: HTTPURLResponse
    /// Empty in an ``HTTPStream``, which has the parts instead.
    package let body: Data
    /// Keyed by lowercase names. Repeated fields are joined with commas, as URLSession gives them.
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
    /// The pause that `Retry-After` asks for, at most a year. It may be seconds, or a date, which is compared with the
    /// server's `Date`.
    /// - Parameter fields: keyed by lowercase names.
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

    /// Rounded up to whole seconds, for texts.
    package var wholeSeconds: Int { Int(inSeconds.rounded(.up)) }

    /// Asks a person to try again after this pause, which may be unknown.
    package static func tryAgain(after pause: Duration?) -> String {
        let seconds = pause?.wholeSeconds ?? 0
        return switch seconds {
        case ...1: "Try again."
        case ..<120: "Try again in \(seconds) seconds."
        default: "Try again in \((seconds + 59) / 60) minutes."
        }
    }

    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

/// A response with a body that is read as it arrives.
package struct HTTPStream: Sendable {
    /// Its body is empty.
    package let answer: HTTPAnswer
    /// The parts of the body. The stream throws ``LoadError`` if the body ends early. Ending the iteration cancels the
    /// request.
    package let parts: AsyncThrowingStream<Data, any Error>
}

/// The reason why there is no response.
package enum LoadError: Error {
    /// The server did not get the request.
    case unsent
    /// The server may have received the request and acted on it.
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
