import AccessKeys
import HandleCore
package import HTTPTypes

/// The problem types, each with a stable code, an HTTP status and a title. The list is complete; docs/problems.md has
/// advice for each. The `type` of a problem document is derived from the code.
package enum ProblemType: String, Sendable, CaseIterable {
    // Reasons to refuse a name, in the order of `Reason`.
    case tooShort = "too_short"
    case tooLong = "too_long"
    case invalidCharacter = "invalid_character"
    case leadingUnderscore = "leading_underscore"
    case allDigits = "all_digits"
    case reservedWord = "reserved_word"
    case lookalike
    case taken
    case ownerFull = "owner_full"

    // Invalid requests.
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

    // Authentication and authorisation.
    case noKey = "no_key"
    case wrongKey = "wrong_key"
    case tokensNotAccepted = "tokens_not_accepted"
    case unknownIssuer = "unknown_issuer"
    case missingScope = "missing_scope"
    case notYourOwn = "not_your_own"

    // Unknown resources, and conflicts with their state or with another request.
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

    // Limits, and failures of the service.
    case holdPaused = "hold_paused"
    case rateLimited = "rate_limited"
    case tooManyStreams = "too_many_streams"
    case `internal`
    case overloaded
    case databaseUnavailable = "database_unavailable"
    case notReady = "not_ready"
    case keysUnavailable = "keys_unavailable"
    case draining
    case stopping

    /// The stable code.
    package var code: String { rawValue }

    /// The HTTP status of every response of this type.
    package var status: HTTPResponse.Status {
        switch self {
        case .malformedRequest, .badRequest, .missingParameter, .invalidParameter, .repeatedParameter,
            .invalidEncoding, .invalidText, .inputTooLong, .missingBody, .invalidJSON, .missingField, .invalidField,
            .invalidOwner, .tooManyHandles, .invalidIdempotencyKey, .tooDeep:
            .badRequest
        case .noKey, .wrongKey, .tokensNotAccepted, .unknownIssuer: .unauthorized
        case .missingScope, .notYourOwn: .forbidden
        case .notFound, .noSuchHandle: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .requestTimeout: .requestTimeout
        case .taken, .notTheirs, .notForgotten, .superseded, .inFlight: .conflict
        case .preconditionFailed: .preconditionFailed
        case .bodyTooLarge: .contentTooLarge
        case .addressTooLong: .uriTooLong
        case .tooShort, .tooLong, .invalidCharacter, .leadingUnderscore, .allDigits, .reservedWord, .lookalike,
            .ownerFull, .displayMismatch, .idempotencyKeyReused:
            .unprocessableContent
        case .holdPaused, .rateLimited, .tooManyStreams: .tooManyRequests
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .internal: .internalServerError
        case .overloaded, .databaseUnavailable, .keysUnavailable, .notReady, .draining, .stopping: .serviceUnavailable
        }
    }

    /// A short summary for people, the same for every problem of this type (RFC 9457, 3.1.3).
    package var title: String {
        switch self {
        case .tooShort: "Name too short"
        case .tooLong: "Name too long"
        case .invalidCharacter: "Invalid character"
        case .leadingUnderscore: "Leading underscore"
        case .allDigits: "Digits only"
        case .reservedWord: "Reserved word"
        case .lookalike: "Look-alike of a protected name"
        case .taken: "Name taken"
        case .ownerFull: "Handle limit reached"
        case .malformedRequest: "Malformed HTTP request"
        case .badRequest: "Unreadable request"
        case .missingParameter: "Missing parameter"
        case .invalidParameter: "Invalid parameter"
        case .repeatedParameter: "Repeated parameter"
        case .invalidEncoding: "Invalid encoding"
        case .invalidText: "NUL character in a name"
        case .inputTooLong: "Input too long"
        case .missingBody: "Missing body"
        case .invalidJSON: "Invalid JSON"
        case .missingField: "Missing field"
        case .invalidField: "Invalid field"
        case .invalidOwner: "Invalid owner id"
        case .tooManyHandles: "Too many names in one request"
        case .invalidIdempotencyKey: "Invalid Idempotency-Key"
        case .requestTimeout: "Request timeout"
        case .bodyTooLarge: "Body too large"
        case .addressTooLong: "URL too long"
        case .headersTooLarge: "Headers too large"
        case .tooDeep: "Body nested too deeply"
        case .noKey: "Key required"
        case .wrongKey: "Key or token invalid"
        case .tokensNotAccepted: "Identity tokens not accepted"
        case .unknownIssuer: "Issuer not trusted"
        case .missingScope: "Missing scope"
        case .notYourOwn: "Not your handle"
        case .notFound: "Not found"
        case .methodNotAllowed: "Method not allowed"
        case .noSuchHandle: "Handle not claimed"
        case .notTheirs: "Another owner's handle"
        case .preconditionFailed: "Precondition failed"
        case .notForgotten: "Owner not forgotten"
        case .displayMismatch: "Display handle mismatch"
        case .superseded: "Superseded by a newer request"
        case .inFlight: "Request already in progress"
        case .idempotencyKeyReused: "Idempotency-Key reused"
        case .holdPaused: "Too soon to hold again"
        case .rateLimited: "Rate limit exceeded"
        case .tooManyStreams: "Too many streams"
        case .internal: "Internal error"
        case .overloaded: "Service overloaded"
        case .databaseUnavailable: "Database unavailable"
        case .notReady: "Service not ready"
        case .keysUnavailable: "Issuer keys unavailable"
        case .draining: "Service draining"
        case .stopping: "Service stopping"
        }
    }
}

extension ProblemType {
    /// The type of a refusal with this first reason.
    init(_ reason: Reason.Code) {
        self =
            switch reason {
            case .tooShort: .tooShort
            case .tooLong: .tooLong
            case .invalidCharacter: .invalidCharacter
            case .leadingUnderscore: .leadingUnderscore
            case .allDigits: .allDigits
            case .reservedWord: .reservedWord
            case .lookalike: .lookalike
            case .taken: .taken
            case .ownerFull: .ownerFull
            }
    }
}
