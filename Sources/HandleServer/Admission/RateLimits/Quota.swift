import HTTPTypes
import HandleRegistry

/// The rate limit of one caller.
struct Quota: Sendable {
    /// The caller, as the rate limit identifies it.
    enum Caller: Sendable {
        /// The id of a key.
        case key(String)
        /// The owner id of an identity token.
        case person(String)
        /// A network address; nil if there is none, as on a Unix socket.
        case anonymous(InternetAddress?)
    }

    let caller: Caller
    let rate: Rate
    let quotas: Quotas

    /// Takes `cost` from the quota.
    /// - Parameter before: cost of this call that has been taken already.
    /// - Returns: the `RateLimit` header fields.
    /// - Throws: ``Problem`` 429 when the quota is exhausted, 400 for a batch that is larger than the whole quota.
    func take(_ cost: Int = 1, before: Int = 0) throws(Problem) -> HTTPFields {
        guard cost + before <= rate.quota else { throw .batchBeyondQuota(rate) }
        switch caller {
        case .key(let id):
            return try fields(quotas.keys.take(cost, of: rate, for: id), "key")
        case .person(let id):
            return try fields(quotas.people.take(cost, of: rate, for: id), "person")
        case .anonymous(let address):
            let (level, state) = quotas.anonymous.take(cost, of: rate, for: address ?? .unknown)
            return try fields(state, level.policy(for: address), times: Int(level.multiple))
        }
    }

    /// The fields of draft-ietf-httpapi-ratelimit-headers, for the tightest quota.
    private func fields(_ state: QuotaState, _ name: String, times: Int = 1) throws(Problem) -> HTTPFields {
        let quota = rate.quota * times
        var fields = HTTPFields()
        fields[.rateLimitPolicy] = "\"\(name)\";q=\(quota);w=\(rate.seconds)"
        fields[.rateLimit] = "\"\(name)\";r=\(state.remaining);t=\(state.reset)"
        guard state.isAllowed else {
            var problem = Problem.rateLimited(quota, rate, isNetwork: times > 1)
            problem.headers = fields
            problem.headers[.retryAfter] = String(state.retryAfter)
            throw problem
        }
        return fields
    }
}

extension InternetAddress {
    /// A placeholder for callers without an address; no caller has this address.
    static let unknown = InternetAddress(0)
}

extension NetworkLimiter.Level {
    /// The name of the quota in the header fields.
    fileprivate func policy(for address: InternetAddress?) -> String {
        switch self {
        case .subscriber: "anonymous"
        case .site: "network/56"
        case .network: address?.isIPv4 == true ? "network/16" : "network/48"
        }
    }
}

extension Problem {
    fileprivate static func rateLimited(_ quota: Int, _ rate: Rate, isNetwork: Bool) -> Problem {
        let callers = isNetwork ? "The callers of your network" : "This caller"
        return Problem(
            .rateLimited,
            "\(callers) exceeded the rate limit of \(quota) names in \(rate.seconds) seconds; 'Retry-After' says when to try "
                + "again.")
    }

    fileprivate static func batchBeyondQuota(_ rate: Rate) -> Problem {
        Problem(
            .tooManyHandles,
            "The request has more names than the rate limit of \(rate.quota) names in \(rate.seconds) seconds allows; send "
                + "fewer.")
    }
}
