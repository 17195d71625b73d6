/// An endpoint of the issuer.
public enum Endpoint: String, Sendable, Hashable, Codable, CaseIterable {
    case discovery, keys, authorization, token, revocation, userInfo
}

/// A fault of the issuer, for one request.
public enum Fault: Sendable, Hashable {
    /// Answers after a delay.
    case delay(Duration)
    /// Answers after `release()`.
    case hold
    /// Closes the connection without acting on the request.
    case drop
    /// Acts on the request, and closes the connection instead of answering.
    case lose
    /// Acts on the request, and closes the connection in the middle of the answer.
    case cut
    /// Answers with a status and with `Retry-After` in seconds, without acting on the request.
    case status(Int, retryAfter: Int? = nil)
    /// Answers 200 with an HTML page, as a network with a login page does, without acting on the request.
    case garbage
    /// Answers 400 with an OAuth error, without acting on the request.
    case refuse(String)
    /// Answers 302 with this `Location`, without acting on the request.
    case redirect(String)
    /// Acts on the request. This claim of the id token has another value.
    case claim(Claim, String)

    public enum Claim: String, Sendable, Codable { case iss, sub, aud }
}

extension Fault: Decodable {
    private enum CodingKeys: String, CodingKey {
        case fault, seconds, status, code, location, name, value
        case retryAfter = "retry_after"
    }

    /// The JSON of `POST /faults`: `{"fault": "status", "status": 503, "retry_after": 5}`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let name = try values.decode(String.self, forKey: .fault)
        switch name {
        case "delay": self = .delay(.seconds(try values.decode(Double.self, forKey: .seconds)))
        case "hold": self = .hold
        case "drop": self = .drop
        case "lose": self = .lose
        case "cut": self = .cut
        case "garbage": self = .garbage
        case "refuse": self = .refuse(try values.decodeIfPresent(String.self, forKey: .code) ?? "invalid_grant")
        case "redirect": self = .redirect(try values.decode(String.self, forKey: .location))
        case "claim":
            self = .claim(
                try values.decode(Claim.self, forKey: .name), try values.decode(String.self, forKey: .value))
        case "status":
            let status = try values.decode(Int.self, forKey: .status)
            guard (200...599).contains(status) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .status, in: values, debugDescription: "status is 200 to 599, not \(status)")
            }
            self = .status(status, retryAfter: try values.decodeIfPresent(Int.self, forKey: .retryAfter))
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .fault, in: values,
                debugDescription:
                    "fault is delay, hold, drop, lose, cut, status, garbage, refuse, redirect or claim, not \(name)")
        }
    }
}
