public import Foundation

/// What is wrong with a request, as the service says it (RFC 9457). The service's `/problems/CODE` tells what to do about each.
public struct HandleProblem: Error, Sendable, Hashable {
    /// The status of the answer.
    public let status: Int
    /// Nil for a code that this version doesn't know; ``codeText`` has it.
    public let code: ProblemCode?
    public let codeText: String
    /// A few words for people, the same for every problem with this code.
    public let title: String
    /// What is wrong this time, and what to change.
    public let detail: String
    /// Why the name is refused, when that is the problem.
    public let reasons: [HandleReason]
    /// The scope that the key lacks, when that is the problem.
    public let scope: String?
    /// How long to wait before the call is repeated.
    public let retryAfter: Duration?
    /// The `X-Request-Id` of the answer, for the operator.
    public let requestID: String?
    /// The document as it came, with members that this version doesn't know.
    public let document: Data

    /// Whether the same call may succeed later.
    var isTransient: Bool {
        switch code {
        case .inFlight: true
        // They last for minutes, or until another stream ends.
        case .holdPaused, .tooManyStreams: false
        default: Self.transientStatuses.contains(status)
        }
    }

    /// A timeout, too much asked, and faults of the service or of a proxy in front of it.
    static let transientStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]
}

extension HandleProblem: CustomStringConvertible {
    public var description: String { "\(status) \(codeText): \(detail)" }
}

/// The codes of problems in the contract of the service.
public enum ProblemCode: String, Sendable, CaseIterable {
    // Why a name is refused.
    case tooShort = "too_short"
    case tooLong = "too_long"
    case invalidCharacter = "invalid_character"
    case leadingUnderscore = "leading_underscore"
    case allDigits = "all_digits"
    case reservedWord = "reserved_word"
    case lookalike
    case taken
    case ownerFull = "owner_full"

    // What is wrong with the request.
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

    // What the service can't do now.
    case `internal`
    case overloaded
    case databaseUnavailable = "database_unavailable"
    case notReady = "not_ready"
    case keysUnavailable = "keys_unavailable"
    case draining
    case stopping
}
