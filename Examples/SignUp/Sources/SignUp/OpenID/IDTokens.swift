import AsyncHTTPClient
import Foundation
import HandleRules
import JWTKit
import NIOCore
import NIOHTTP1

/// Checks the issuer's id tokens: signature, issuer, audience, lifetime and nonce (OpenID Connect Core 1.0, 3.1.3.7).
actor IDTokens {
    /// A token that fails the check causes a new read of the keys, but not within this time after the last read.
    private static let pause = Duration.seconds(10)
    private static let mostBytes = 1 << 20

    private let issuer: String
    private let clientID: String
    private let client: HTTPClient
    private var keys: JWTKeyCollection?
    private var loadedAt: ContinuousClock.Instant?

    init(issuer: String, clientID: String, client: HTTPClient) {
        self.issuer = issuer
        self.clientID = clientID
        self.client = client
    }

    /// The person that a token names.
    /// - Throws: `SignIns.Failure`.
    func person(in token: String?, nonce: String) async throws -> Person {
        guard let token else { throw SignIns.Failure.refused("there is no id token") }
        let claims = try await claims(of: token)
        guard claims.iss.value == issuer else { throw SignIns.Failure.refused("the id token is another issuer's") }
        guard claims.aud.value.contains(clientID), claims.azp == nil || claims.azp == clientID else {
            throw SignIns.Failure.refused("the id token is for another client")
        }
        guard let own = claims.nonce, Secret.areEqual(own, nonce) else {
            throw SignIns.Failure.refused("the id token is of another sign-in: wrong nonce")
        }
        guard let owner = Owner("\(issuer)|\(claims.sub.value)"), !claims.sub.value.isEmpty else {
            throw SignIns.Failure.refused("the subject can't be an owner: it needs \(Owner.rule)")
        }
        return Person(owner: owner.id, account: claims.email ?? claims.sub.value)
    }

    private struct Claims: JWTPayload {
        let iss: IssuerClaim
        let sub: SubjectClaim
        let aud: AudienceClaim
        let exp: ExpirationClaim
        let azp: String?
        let nonce: String?
        let email: String?

        func verify(using algorithm: some JWTAlgorithm) throws {
            // Clocks may differ by a minute.
            try exp.verifyNotExpired(currentDate: Date().addingTimeInterval(-60))
        }
    }

    private func claims(of token: String) async throws -> Claims {
        let known = if let keys { keys } else { try await load() }
        do {
            return try await known.verify(token, as: Claims.self)
        } catch {
            // The token may be signed with a new key of the issuer.
            guard let loadedAt, ContinuousClock.now - loadedAt > Self.pause else { throw refusal(error) }
            let fresh = try await load()
            do {
                return try await fresh.verify(token, as: Claims.self)
            } catch {
                throw refusal(error)
            }
        }
    }

    private func refusal(_ error: any Error) -> SignIns.Failure { .refused("the id token is not valid: \(error)") }

    private func load() async throws -> JWTKeyCollection {
        struct Metadata: Decodable {
            let issuer: String
            let jwks_uri: String
        }
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let metadata = try JSONDecoder().decode(
            Metadata.self, from: try await get(base + "/.well-known/openid-configuration"))
        guard metadata.issuer == issuer else { throw SignIns.Failure.refused("the issuer calls itself another") }
        let fresh = JWTKeyCollection()
        do {
            try await fresh.add(jwksJSON: String(decoding: try await get(metadata.jwks_uri), as: UTF8.self))
        } catch let error as JWTError {
            throw SignIns.Failure.unreachable("the issuer's keys can't be read: \(error)")
        }
        keys = fresh
        loadedAt = .now
        return fresh
    }

    private func get(_ address: String) async throws -> Data {
        do {
            let answer = try await client.execute(HTTPClientRequest(url: address), timeout: .seconds(5))
            guard answer.status == .ok else {
                throw SignIns.Failure.unreachable("the issuer answers \(answer.status.code)")
            }
            return Data(try await answer.body.collect(upTo: Self.mostBytes).readableBytesView)
        } catch let failure as SignIns.Failure {
            throw failure
        } catch {
            throw SignIns.Failure.unreachable("\(error)")
        }
    }
}
