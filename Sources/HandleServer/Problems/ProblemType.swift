import HandleCore
package import HTTPTypes

/// What can go wrong with a request: the stable code, which `type` is made of, with its status and title. There is no
/// problem of another kind; what to do about each is told in docs/problems.md.
package enum ProblemType: String, Sendable, CaseIterable {
    // Why a name is refused, in the order of `Reason`.
    case tooShort = "too_short"
    case tooLong = "too_long"
    case invalidCharacter = "invalid_character"
    case leadingUnderscore = "leading_underscore"
    case allDigits = "all_digits"
    case reservedWord = "reserved_word"
    case lookalike
    case taken
    case ownerFull = "owner_full"

    // What is not as it should be in the request.
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

    // Who may do it.
    case noKey = "no_key"
    case wrongKey = "wrong_key"
    case missingScope = "missing_scope"
    case notYourOwn = "not_your_own"

    // What it is about.
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

    // Too much, or not now.
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

    /// The status that every answer of this type has.
    package var status: HTTPResponse.Status {
        switch self {
        case .malformedRequest, .badRequest, .missingParameter, .invalidParameter, .repeatedParameter,
            .invalidEncoding, .invalidText, .inputTooLong, .missingBody, .invalidJSON, .missingField, .invalidField,
            .invalidOwner, .tooManyHandles, .invalidIdempotencyKey, .tooDeep:
            .badRequest
        case .noKey, .wrongKey: .unauthorized
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

    /// A few words for people, the same whenever the problem occurs (RFC 9457, 3.1.3).
    package var title: String {
        switch self {
        case .tooShort: "Name too short"
        case .tooLong: "Name too long"
        case .invalidCharacter: "Character that no handle has"
        case .leadingUnderscore: "Underscore at the start"
        case .allDigits: "Digits only"
        case .reservedWord: "Reserved word"
        case .lookalike: "Looks like a protected name"
        case .taken: "Name taken"
        case .ownerFull: "Owner has all their handles"
        case .malformedRequest: "Not HTTP as it should be"
        case .badRequest: "Unreadable request"
        case .missingParameter: "Parameter missing"
        case .invalidParameter: "Parameter not as it should be"
        case .repeatedParameter: "Parameter given twice"
        case .invalidEncoding: "Wrong encoding"
        case .invalidText: "Text with a NUL"
        case .inputTooLong: "Text too long to be read"
        case .missingBody: "Body missing"
        case .invalidJSON: "Not JSON"
        case .missingField: "Field missing"
        case .invalidField: "Field not as it should be"
        case .invalidOwner: "Owner's id not as it should be"
        case .tooManyHandles: "Too many names at a time"
        case .invalidIdempotencyKey: "Idempotency-Key not as it should be"
        case .requestTimeout: "Request took too long to come"
        case .bodyTooLarge: "Body too large"
        case .addressTooLong: "Address too long"
        case .headersTooLarge: "Headers too large"
        case .tooDeep: "Body nested too deeply"
        case .noKey: "Key needed"
        case .wrongKey: "Wrong key"
        case .missingScope: "Scope missing"
        case .notYourOwn: "Of another person"
        case .notFound: "Nothing here"
        case .methodNotAllowed: "Wrong method"
        case .noSuchHandle: "Nobody has this handle"
        case .notTheirs: "Handle of another owner"
        case .preconditionFailed: "Name not as it was"
        case .notForgotten: "Owner not forgotten"
        case .displayMismatch: "Display handle of another name"
        case .superseded: "A newer keystroke came"
        case .inFlight: "First request still in progress"
        case .idempotencyKeyReused: "Idempotency-Key of another request"
        case .holdPaused: "Held until a moment ago"
        case .rateLimited: "Too many requests"
        case .tooManyStreams: "Too many streams"
        case .internal: "Fault of the service"
        case .overloaded: "Too much to do"
        case .databaseUnavailable: "Database out of reach"
        case .notReady: "Not ready yet"
        case .keysUnavailable: "Keys of the issuer out of reach"
        case .draining: "Service about to stop"
        case .stopping: "Service stopping"
        }
    }
}

extension ProblemType {
    /// The type of a refusal whose first reason it is.
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
