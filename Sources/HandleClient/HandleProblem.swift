public import Foundation

/// A problem document (RFC 9457) of the service. The service's `/problems/CODE` pages say how to solve each.
public struct HandleProblem: Sendable, Hashable {
    /// The status of the response.
    public let status: Int
    /// The code of the problem, for a `switch`.
    public let code: ProblemCode
    /// A few words for people, the same for every problem with this code.
    public let title: String
    /// The details of this problem, and what to change.
    public let detail: String
    /// The reasons why the name was refused, if that is the problem.
    public let reasons: [HandleReason]
    /// The scope that the key lacks, if that is the problem.
    public let scope: String?
    /// The end of the owner's lock, or of its wait for another name, if that is the problem and there is one.
    public let until: Date?
    /// The pause before a retry.
    public let retryAfter: Duration?
    /// The `X-Request-Id` of the response, for the operator.
    public let requestID: String?
    /// The document as received, including members that this version doesn't know.
    public let document: Data

    /// Whether the same call may succeed later.
    var isTransient: Bool {
        switch code {
        case .inFlight: true
        // These last for minutes, or until another stream ends.
        case .holdPaused, .tooManyStreams: false
        default: Self.transientStatuses.contains(status)
        }
    }

    /// Whether the token was refused, and another one may be accepted.
    var isAboutToken: Bool { status == 401 && code != .tokensNotAccepted && code != .unknownIssuer }

    /// Timeouts, exceeded limits, and faults of the service or of a proxy in front of it.
    static let transientStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]
}

extension HandleProblem: CustomStringConvertible {
    public var description: String { "\(status) \(code.rawValue): \(detail)" }
}
