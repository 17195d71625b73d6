import Foundation
import HTTPLoading
import Sessions

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPLoader {
    /// Like `load`, but ``timeout`` covers the whole answer, so that an issuer that sends single bytes can't delay
    /// callers longer.
    func answer(to request: URLRequest) async throws(SessionError) -> HTTPAnswer {
        let answer = await firstResult { [self] () -> Result<HTTPAnswer, LoadError> in
            do throws(LoadError) {
                return .success(try await load(request))
            } catch {
                return .failure(error)
            }
        } orOf: { [timing, timeout] in
            try? await timing.sleep(timeout)
            return .failure(.lost)
        }
        switch answer {
        case .success(let answer): return answer
        case .failure(.unsent): throw .unreachable(retryAfter: nil)
        case .failure(.lost): throw .answerLost
        case .failure(.cancelled), nil: throw .cancelled
        }
    }
}

extension HTTPAnswer {
    /// The tokens of a token endpoint (RFC 6749, 5). Only a definite refusal is `.refused`. A proxy's error page is
    /// `.unreachable` with any status.
    /// - Parameter secrets: the secrets of the request, which no error may quote.
    func tokens(hiding secrets: [String]) throws(SessionError) -> AuthTokens {
        guard status == 200 else { throw problem(hiding: secrets) }
        guard let answer = try? JSONDecoder().decode(TokenAnswer.self, from: body),
            !answer.tokens.accessToken.isEmpty, answer.isBearer
        else { throw .unreachable(retryAfter: nil) }
        var tokens = answer.tokens
        // An empty one would replace a valid one.
        if tokens.refreshToken?.isEmpty == true { tokens.refreshToken = nil }
        return tokens
    }

    /// The claims of a user info endpoint (OpenID Connect Core 1.0, 5.3).
    func userInfo<Claims: Decodable>(hiding secrets: [String]) throws(SessionError) -> Claims {
        // The reason is in `WWW-Authenticate`, and is always the token.
        if status == 401 { throw .refused(code: "invalid_token") }
        guard status == 200 else { throw problem(hiding: secrets) }
        guard let claims = try? JSONDecoder().decode(Claims.self, from: body) else {
            throw .misconfigured("the issuer's user info can't be read as \(Claims.self); compare their members")
        }
        return claims
    }

    /// Whether the endpoint no longer exists: the issuer may have moved it.
    var isGone: Bool { [404, 405, 410].contains(status) }

    /// The error for a status other than success.
    func problem(hiding secrets: [String]) -> SessionError {
        struct Problem: Decodable { let error: String }
        let error = (400..<500).contains(status) ? try? JSONDecoder().decode(Problem.self, from: body).error : nil
        switch (status, error) {
        // Some issuers send it with 403.
        case (400..<500, "invalid_grant"): return .refused(code: "invalid_grant")
        // These two are transient faults of the issuer.
        case (_, "temporarily_unavailable"), (_, "server_error"): return .unreachable(retryAfter: retryAfter)
        case (400, let code?), (401, let code?):
            return .refused(code: OAuthErrorCode(code, hiding: secrets).text)
        default: return .unreachable(retryAfter: retryAfter)
        }
    }
}

/// The `error` of an OAuth answer in a form that is safe to log: one short word of visible ASCII, and no part of a
/// secret.
struct OAuthErrorCode {
    let text: String

    init(_ error: String, hiding secrets: [String] = []) {
        let isWord =
            !error.isEmpty && error.utf8.count <= 64 && error.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        text = isWord && !Self.quotes(secrets, in: error) ? error : "unreadable_error"
    }

    /// Whether the error contains eight consecutive characters of a secret, or all of a shorter one. Some services
    /// quote the request in their errors.
    private static func quotes(_ secrets: [String], in error: String) -> Bool {
        let error = Array(error.utf8)
        return secrets.map { Array($0.utf8) }.contains { secret in
            let length = min(8, secret.count)
            guard length > 0, error.count >= length else { return false }
            let parts = Set((0...secret.count - length).map { secret[$0..<$0 + length] })
            return (0...error.count - length).contains { parts.contains(error[$0..<$0 + length]) }
        }
    }
}

private struct TokenAnswer: Decodable {
    let tokens: AuthTokens
    let isBearer: Bool

    private enum CodingKeys: String, CodingKey { case tokenType = "token_type" }

    init(from decoder: any Decoder) throws {
        tokens = try AuthTokens(from: decoder)
        let type = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .tokenType)
        isBearer = type.map { $0.lowercased() == "bearer" } ?? true
    }
}
