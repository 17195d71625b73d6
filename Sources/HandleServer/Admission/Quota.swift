import HTTPTypes
import HandleRegistry

/// What one caller may ask of the service in a time.
struct Quota: Sendable {
    /// Who asks, as far as limits go.
    enum Caller: Sendable {
        /// By the key's id.
        case key(String)
        /// With an identity token, by the owner's id.
        case person(String)
        /// By network address; nil where there is none, such as on a Unix socket.
        case stranger(InternetAddress?)
    }

    let caller: Caller
    let rate: Rate
    let quotas: Quotas

    /// Takes `cost` from what is left, or says when to come again.
    /// - Parameter before: what this call has cost already.
    /// - Returns: the header fields that tell the caller.
    func take(_ cost: Int = 1, before: Int = 0) throws(Problem) -> HTTPFields {
        guard cost + before <= rate.quota else { throw .batchBeyondQuota(rate) }
        switch caller {
        case .key(let id):
            return try fields(quotas.keys.take(cost, of: rate, for: id), "key")
        case .person(let id):
            return try fields(quotas.people.take(cost, of: rate, for: id), "person")
        case .stranger(let address):
            let (level, state) = quotas.strangers.take(cost, of: rate, for: address ?? .unknown)
            return try fields(state, level.policy(for: address), times: Int(level.multiple))
        }
    }

    /// As draft-ietf-httpapi-ratelimit-headers has them, of the quota that is the tightest.
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
    /// Stands for callers without an address: no caller has this one.
    static let unknown = InternetAddress(high: 0, low: 0)
}

extension NetworkLimiter.Level {
    /// The name of the quota, as callers see it.
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
            "'handles' has more names than the rate limit of \(rate.quota) names in \(rate.seconds) seconds allows; send "
                + "fewer.")
    }
}
