public import Foundation

/// A problem document (RFC 9457) of the service. The service's `/problems/CODE` pages say how to solve each.
public struct HandleProblem: Error, Sendable, Hashable {
    /// The status of the response.
    public let status: Int
    /// Nil for a code that this version doesn't know; then use ``codeText``.
    public let code: ProblemCode?
    public let codeText: String
    /// A few words for people, the same for every problem with this code.
    public let title: String
    /// The details of this problem, and what to change.
    public let detail: String
    /// The reasons why the name was refused, if that is the problem.
    public let reasons: [HandleReason]
    /// The scope that the key lacks, if that is the problem.
    public let scope: String?
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
    public var description: String { "\(status) \(codeText): \(detail)" }
}

/// The codes of problems in the contract of the service.
public enum ProblemCode: String, Sendable, CaseIterable {
    // The name is refused.
    case tooShort = "too_short"
    case tooLong = "too_long"
    case invalidCharacter = "invalid_character"
    case leadingUnderscore = "leading_underscore"
    case allDigits = "all_digits"
    case reservedWord = "reserved_word"
    case lookalike
    case taken
    case ownerFull = "owner_full"

    // The request is invalid.
    case malformedRequest = "malformed_request"
    case badRequest = "bad_request"
    case missingParameter = "missing_parameter"
    case invalidParameter = "invalid_parameter"
    case repeatedParameter = "repeated_parameter"
    case invalidEncoding = "invalid_encoding"
    case invalidText = "invalid_text"
    case inputTooLong = "input_too_long"
    case missingBody = "missing_body"
    case invalidJSON = "invalid_json"
    case missingField = "missing_field"
    case invalidField = "invalid_field"
    case invalidOwner = "invalid_owner"
    case tooManyHandles = "too_many_handles"
    case invalidIdempotencyKey = "invalid_idempotency_key"
    case requestTimeout = "request_timeout"
    case bodyTooLarge = "body_too_large"
    case addressTooLong = "address_too_long"
    case headersTooLarge = "headers_too_large"
    case tooDeep = "too_deep"

    // Authentication, authorisation and conflicts.
    case noKey = "no_key"
    case wrongKey = "wrong_key"
    case tokensNotAccepted = "tokens_not_accepted"
    case unknownIssuer = "unknown_issuer"
    case missingScope = "missing_scope"
    case notYourOwn = "not_your_own"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case noSuchHandle = "no_such_handle"
    case notTheirs = "not_theirs"
    case preconditionFailed = "precondition_failed"
    case notForgotten = "not_forgotten"
    case displayMismatch = "display_mismatch"
    case superseded
    case inFlight = "in_flight"
    case idempotencyKeyReused = "idempotency_key_reused"
    case holdPaused = "hold_paused"
    case rateLimited = "rate_limited"
    case tooManyStreams = "too_many_streams"

    // The service can't answer now.
    case `internal`
    case overloaded
    case databaseUnavailable = "database_unavailable"
    case notReady = "not_ready"
    case keysUnavailable = "keys_unavailable"
    case draining
    case stopping
}
