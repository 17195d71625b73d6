#if IdentityTokens
import FoundationEssentials
import HandleCore

/// The claims of a token (RFC 7519, 4.1).
struct TokenClaims: Decodable {
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

    private enum Name: String, CodingKey { case iss, sub, aud, exp, nbf, iat }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        issuer = try members.decode(String.self, forKey: .iss)
        subject = try members.decode(String.self, forKey: .sub)
        guard !subject.isEmpty else {
            throw DecodingError.dataCorruptedError(forKey: .sub, in: members, debugDescription: "empty")
        }
        audiences = try members.decode(OneOrMany.self, forKey: .aud).values
        expiry = try Self.date(.exp, members)
        notBefore = try members.contains(.nbf) ? Self.date(.nbf, members) : nil
        issuedAt = try Self.date(.iat, members)
    }

    /// Seconds since 1970, possibly with a fraction; strings and negative numbers are invalid.
    private static func date(_ name: Name, _ members: KeyedDecodingContainer<Name>) throws -> Date {
        let seconds = try members.decode(Double.self, forKey: name)
        guard seconds.isFinite, seconds >= 0 else {
            throw DecodingError.dataCorruptedError(forKey: name, in: members, debugDescription: "not a date")
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
