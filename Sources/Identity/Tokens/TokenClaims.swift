#if IdentityTokens
import FoundationEssentials
import HandleCore

/// What a token says of a person (RFC 7519, 4.1).
struct TokenClaims: Decodable {
    let issuer: String
    let subject: String
    let audiences: [String]
    let expiry: Date
    let notBefore: Date?
    let issuedAt: Date

    /// How far the clocks of an issuer and a service may be apart.
    static let leeway: TimeInterval = 60
    /// How long a token may be good for after it was issued: it can't be taken back.
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

    /// Seconds since 1970, possibly with a fraction; texts and negative numbers are none.
    private static func date(_ name: Name, _ members: KeyedDecodingContainer<Name>) throws -> Date {
        let seconds = try members.decode(Double.self, forKey: name)
        guard seconds.isFinite, seconds >= 0 else {
            throw DecodingError.dataCorruptedError(forKey: name, in: members, debugDescription: "not a date")
        }
        return Date(timeIntervalSince1970: seconds)
    }

    /// Refuses what is not for one of `audiences`, or not good at the time `now`.
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
