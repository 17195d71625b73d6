import Foundation
import HTTPLoading

/// The endpoints for tokens: exchange, revocation and user info.
extension Issuer {
    /// The client's credentials, from `Authorization` or the form.
    struct Client {
        let id: String?
        let secret: String?
        let isInHeader: Bool

        init(_ form: Form, authorization: String?) {
            isInHeader = authorization != nil
            guard let authorization else {
                id = form["client_id"]
                secret = form["client_secret"]
                return
            }
            let parts = authorization.split(separator: " ")
            let isBasic = parts.count == 2 && parts[0].lowercased() == "basic"
            let pair = isBasic ? Data(base64Encoded: String(parts[1])) : nil
            let texts = pair.map { String(decoding: $0, as: UTF8.self).split(separator: ":", maxSplits: 1) } ?? []
            id = texts.first.map(Form.decode)
            secret = texts.count == 2 ? Form.decode(texts[1]) : nil
        }
    }

    /// - Parameter fault: the one that the request met.
    func token(_ form: Form, _ client: Client, _ fault: Fault? = nil) -> Answer {
        guard isKnown(client) else {
            return .error("invalid_client", "client_id or client_secret is wrong", status: 401)
        }
        switch form["grant_type"] {
        case "authorization_code": return exchange(code: form, fault)
        case "refresh_token": return refresh(form, fault)
        default: return .error("unsupported_grant_type", "grant_type is authorization_code or refresh_token")
        }
    }

    func revoke(_ form: Form, _ client: Client) -> Answer {
        guard isKnown(client) else {
            return .error("invalid_client", "client_id or client_secret is wrong", status: 401)
        }
        guard let token = form["token"] else { return .error("invalid_request", "token is missing") }
        // An unknown token is a success too (RFC 7009, 2.2).
        if let id = familyOf[token], families.removeValue(forKey: id) != nil { counts.revocations += 1 }
        return Answer(status: 200, type: "text/plain")
    }

    func userInfo(authorization: String?) -> Answer {
        let token = authorization.map { $0.split(separator: " ") } ?? []
        guard token.count == 2, token[0].lowercased() == "bearer", let id = familyOf[String(token[1])],
            let family = families[id], family.accessTokens.contains(String(token[1]))
        else {
            var answer = Answer.error(
                "invalid_token", "the access token is unknown, or its session has ended", status: 401)
            answer.fields = [("WWW-Authenticate", #"Bearer error="invalid_token""#)]
            return answer
        }
        return .json(200, ["sub": family.person, "email": "\(family.person)@example.com"])
    }

    private func isKnown(_ client: Client) -> Bool {
        client.id == options.clientID && client.secret == options.clientSecret
            && !(client.isInHeader && options.takesSecretInForm)
    }

    private func exchange(code form: Form, _ fault: Fault?) -> Answer {
        guard let text = form["code"], let code = codes[text], code.end > now else {
            return .error("invalid_grant", "the code is unknown, or too old")
        }
        if let family = code.family {
            // The code may have been stolen (RFC 6749, 4.1.2).
            families[family] = nil
            return .error("invalid_grant", "the code was used before; its tokens are revoked")
        }
        guard form["redirect_uri"] == code.redirectURI else {
            return .error("invalid_grant", "redirect_uri is not the one that the code was sent to")
        }
        guard let verifier = form["code_verifier"],
            base64URL(sha256(Array(verifier.utf8))) == code.challenge
        else { return .error("invalid_grant", "code_verifier does not fit code_challenge") }
        let id = nextID()
        codes[text]?.family = id
        families[id] = Family(person: code.person, scope: code.scope)
        counts.signIns += 1
        return .json(200, issue(id, nonce: code.nonce, withIDToken: true, fault))
    }

    /// A new id token of a person, as after a sign-in.
    public func idToken(of person: String) -> String {
        let id = nextID()
        families[id] = Family(person: person, scope: "openid")
        return issue(id, nonce: nil, withIDToken: true, nil).id_token ?? ""
    }

    private func refresh(_ form: Form, _ fault: Fault?) -> Answer {
        guard let token = form["refresh_token"], let id = familyOf[token], let family = families[id] else {
            return .error("invalid_grant", "the refresh token is unknown, or its session has ended")
        }
        let isPresent = family.refreshToken == token
        let isForgiven =
            family.former.map { $0.token == token && now.timeIntervalSince($0.at) <= options.grace.inSeconds } ?? false
        guard isPresent || (isForgiven && options.grace > .zero) else {
            families[id] = nil
            counts.reuses += 1
            return .error("invalid_grant", "the refresh token was used before; the session has ended")
        }
        counts.refreshes += 1
        if isPresent, options.rotates { families[id]?.former = (token, now) }
        return .json(200, issue(id, nonce: nil, withIDToken: options.refreshBringsIDToken, fault))
    }

    private struct Tokens: Encodable {
        let access_token: String
        let refresh_token: String?
        let id_token: String?
        let token_type = "Bearer"
        let expires_in: Int
        let scope: String
    }

    private struct Claims: Encodable {
        var iss: String
        var sub: String
        var aud: String
        let iat: Int
        let exp: Int
        var nonce: String?
        var email: String?
        var jti: String?
        var client_id: String?

        mutating func set(_ claim: Fault.Claim, to value: String) {
            switch claim {
            case .iss: iss = value
            case .sub: sub = value
            case .aud: aud = value
            }
        }
    }

    /// New tokens of a family. If the issuer does not rotate, the refresh token stays the same.
    private func issue(_ id: UInt64, nonce: String?, withIDToken: Bool, _ fault: Fault?) -> Tokens {
        guard var family = families[id] else { preconditionFailure("no session \(id)") }
        let issued = Int(now.timeIntervalSince1970)
        let seconds = Int(options.lifetime.inSeconds.rounded(.up))
        var claims = Claims(
            iss: url.absoluteString, sub: family.person, aud: options.clientID, iat: issued, exp: issued + seconds,
            nonce: nonce, email: "\(family.person)@example.com")
        if case .claim(let claim, let value) = fault { claims.set(claim, to: value) }
        let idToken = withIDToken ? key.token(claims, type: "JWT") : nil
        claims = Claims(
            iss: url.absoluteString, sub: claims.sub, aud: options.audience ?? options.clientID, iat: issued,
            exp: claims.exp, jti: secret("access"), client_id: options.clientID)
        let accessToken = key.token(claims, type: "at+jwt")
        if options.rotates || family.refreshToken == nil { family.refreshToken = secret("refresh") }
        // Requests with the previous token may be in progress, so it stays valid.
        family.accessTokens.insert(accessToken)
        families[id] = family
        familyOf[accessToken] = id
        if let token = family.refreshToken { familyOf[token] = id }
        return Tokens(
            access_token: accessToken, refresh_token: family.refreshToken, id_token: idToken, expires_in: seconds,
            scope: family.scope)
    }
}
