package import HTTPTypes

/// The problem types, each with a stable code, the HTTP status of every response, and a title for people, which is the
/// same for every problem of the type (RFC 9457, 3.1.3). The list is complete; docs/problems.md has advice for each. The
/// `type` of a problem document is derived from the code.
package enum ProblemType: String, Sendable, CaseIterable {
    // Reasons to refuse a name, in the order of `Reason`.
    case tooShort = "too_short 422 Name too short"
    case tooLong = "too_long 422 Name too long"
    case invalidCharacter = "invalid_character 422 Invalid character"
    case leadingUnderscore = "leading_underscore 422 Leading underscore"
    case allDigits = "all_digits 422 Digits only"
    case reservedWord = "reserved_word 422 Reserved word"
    case lookalike = "lookalike 422 Look-alike of a protected name"
    case taken = "taken 409 Name taken"
    case ownerFull = "owner_full 422 Handle limit reached"

    // Invalid requests.
    case malformedRequest = "malformed_request 400 Malformed HTTP request"
    case badRequest = "bad_request 400 Unreadable request"
    case missingParameter = "missing_parameter 400 Missing parameter"
    case invalidParameter = "invalid_parameter 400 Invalid parameter"
    case repeatedParameter = "repeated_parameter 400 Repeated parameter"
    case invalidEncoding = "invalid_encoding 400 Invalid encoding"
    case invalidText = "invalid_text 400 NUL character in a name"
    case inputTooLong = "input_too_long 400 Input too long"
    case missingBody = "missing_body 400 Missing body"
    case invalidJSON = "invalid_json 400 Invalid JSON"
    case missingField = "missing_field 400 Missing field"
    case invalidField = "invalid_field 400 Invalid field"
    case invalidOwner = "invalid_owner 400 Invalid owner id"
    case tooManyHandles = "too_many_handles 400 Too many names in one request"
    case invalidIdempotencyKey = "invalid_idempotency_key 400 Invalid Idempotency-Key"
    case requestTimeout = "request_timeout 408 Request timeout"
    case bodyTooLarge = "body_too_large 413 Body too large"
    case addressTooLong = "address_too_long 414 URL too long"
    case headersTooLarge = "headers_too_large 431 Headers too large"
    case tooDeep = "too_deep 400 Body nested too deeply"

    // Authentication and authorisation.
    case noKey = "no_key 401 Key required"
    case wrongKey = "wrong_key 401 Key or token invalid"
    case tokensNotAccepted = "tokens_not_accepted 401 Identity tokens not accepted"
    case unknownIssuer = "unknown_issuer 401 Issuer not trusted"
    case missingScope = "missing_scope 403 Missing scope"
    case notYourOwn = "not_your_own 403 Not your handle"

    // Unknown resources, and conflicts with their state or with another request.
    case notFound = "not_found 404 Not found"
    case methodNotAllowed = "method_not_allowed 405 Method not allowed"
    case noSuchHandle = "no_such_handle 404 Handle not claimed"
    case notTheirs = "not_theirs 409 Another owner's handle"
    case preconditionFailed = "precondition_failed 412 Precondition failed"
    case notForgotten = "not_forgotten 409 Owner not forgotten"
    case displayMismatch = "display_mismatch 422 Display handle mismatch"
    case superseded = "superseded 409 Superseded by a newer request"
    case inFlight = "in_flight 409 Request already in progress"
    case idempotencyKeyReused = "idempotency_key_reused 422 Idempotency-Key reused"

    // Limits, and failures of the service.
    case holdPaused = "hold_paused 429 Too soon to hold again"
    case rateLimited = "rate_limited 429 Rate limit exceeded"
    case tooManyStreams = "too_many_streams 429 Too many streams"
    case `internal` = "internal 500 Internal error"
    case overloaded = "overloaded 503 Service overloaded"
    case databaseUnavailable = "database_unavailable 503 Database unavailable"
    case notReady = "not_ready 503 Service not ready"
    case keysUnavailable = "keys_unavailable 503 Issuer keys unavailable"
    case draining = "draining 503 Service draining"
    case stopping = "stopping 503 Service stopping"

    /// The stable code.
    package var code: String { String(parts[0]) }

    package var status: HTTPResponse.Status { HTTPResponse.Status(code: Int(parts[1]) ?? 500) }

    package var title: String { String(parts[2]) }

    private var parts: [Substring] { rawValue.split(separator: " ", maxSplits: 2) }

    private static let byCode = Dictionary(uniqueKeysWithValues: allCases.map { ($0.code, $0) })

    package init?(code: String) {
        guard let type = Self.byCode[code] else { return nil }
        self = type
    }
}
