#if IdentityTokens
import FoundationEssentials
import HandleRegistry
import HandleRules

/// The claims of a token (RFC 7519, 4.1).
struct TokenClaims {
    let issuer: String
    let subject: String
    let audiences: [String]
    let expiry: Date
    let notBefore: Date?
    let issuedAt: Date

    /// The allowed difference between the clocks of an issuer and the service.
    static let leeway: TimeInterval = 60
    /// The maximum lifetime of a token after it was issued: a token can't be revoked.
    static let longestLife: TimeInterval = 24 * 3600

    /// Nil when a claim is missing or has another form than expected.
    init?(_ json: JSONValue) {
        guard case .string(let issuer) = json["iss"], case .string(let subject) = json["sub"], !subject.isEmpty,
            let audiences = Self.audiences(json["aud"]), let expiry = Self.date(json["exp"]),
            let issuedAt = Self.date(json["iat"])
        else { return nil }
        (self.issuer, self.subject, self.audiences) = (issuer, subject, audiences)
        (self.expiry, self.issuedAt, notBefore) = (expiry, issuedAt, Self.date(json["nbf"]))
        if json["nbf"] != nil, notBefore == nil { return nil }
    }

    /// One string or an array of strings (RFC 7519, 4.1.3).
    private static func audiences(_ claim: JSONValue?) -> [String]? {
        switch claim {
        case .string(let one): return [one]
        case .array(let values):
            let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
            return texts.count == values.count ? texts : nil
        default: return nil
        }
    }

    /// Seconds since 1970, possibly with a fraction; strings and negative numbers are invalid.
    private static func date(_ claim: JSONValue?) -> Date? {
        guard case .number(let digits) = claim, let seconds = Double(digits), seconds.isFinite, seconds >= 0 else {
            return nil
        }
        return Date(timeIntervalSince1970: seconds)
    }

    /// Refuses a token that is not for one of `audiences`, or not valid at the time `now`.
    func check(for audiences: [String], at now: Date) throws(TokenFault) {
        guard self.audiences.contains(where: { claimed in audiences.contains { $0.isSame(as: claimed) } }) else {
            throw .otherAudience
        }
        guard now < expiry + Self.leeway else { throw .expired }
        for start in [notBefore ?? issuedAt, issuedAt] where start > now + Self.leeway { throw .notYetValid }
        guard expiry <= issuedAt + Self.longestLife else { throw .longLived }
    }
}
#endif
