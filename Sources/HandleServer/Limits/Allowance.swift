import HTTPTypes
import HandleRegistry

/// What one caller may ask of the service in a time.
struct Allowance: Sendable {
    /// Who asks, as far as limits go.
    enum Caller: Hashable, Sendable {
        case subscriber(InternetAddress)
        /// The holder of a key, by its id.
        case key(String)
        /// Somebody without an address, such as on a Unix socket.
        case unknown
        /// All of them together.
        case everybody
    }

    let caller: Caller
    let rate: Rate
    let limiter: RateLimiter<Caller>

    /// The name of the policy, as callers see it.
    private var name: String { if case .key = caller { "key" } else { "anonymous" } }

    /// Takes `cost` from what is left, or says when to come again.
    /// - Parameter before: what this call has cost already.
    /// - Returns: the header fields that tell the caller.
    func take(_ cost: Int = 1, before: Int = 0) throws(Problem) -> HTTPFields {
        guard cost + before <= rate.quota else { throw .batchBeyondQuota(rate) }
        let standing = limiter.take(cost, of: rate, for: caller)
        guard standing.isAllowed else {
            var problem = Problem.rateLimited(rate)
            problem.headers = headers(standing)
            problem.headers[.retryAfter] = String(standing.retryAfter)
            throw problem
        }
        return headers(standing)
    }

    /// As draft-ietf-httpapi-ratelimit-headers has them.
    private func headers(_ standing: Standing) -> HTTPFields {
        var fields = HTTPFields()
        fields[.rateLimitPolicy] = "\"\(name)\";q=\(rate.quota);w=\(rate.seconds)"
        fields[.rateLimit] = "\"\(name)\";r=\(standing.remaining);t=\(standing.reset)"
        return fields
    }
}

extension Problem {
    fileprivate static func rateLimited(_ rate: Rate) -> Problem {
        Problem(
            .rateLimited,
            "That was more than \(rate.quota) names in \(rate.seconds) seconds; 'Retry-After' says when to go on.")
    }

    fileprivate static func batchBeyondQuota(_ rate: Rate) -> Problem {
        Problem(
            .tooManyHandles,
            "'handles' has more names than may be asked about at all in \(rate.seconds) seconds, which is \(rate.quota); "
                + "send fewer.")
    }
}
