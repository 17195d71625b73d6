import Crypto
import Foundation
import Hummingbird
import Sessions
import OpenIDSessions

/// A sign-in that a browser has begun, until the issuer's callback.
struct PendingSignIn: Codable {
    let request: AuthorizationRequest
    let endsAt: Date
}

/// The cookie with the pending sign-ins of a browser. It is encrypted and authenticated, so the program stores nothing
/// for a sign-in, and no browser can displace the sign-ins of others. There are several if the person opened several
/// tabs.
///
/// The key is made at the start of the program: after a restart, the person has to begin the sign-in again.
struct SignInCookie: Sendable {
    private static let name = "__Host-signup-begun"
    /// Browsers store up to 4,096 bytes for a cookie, with its name and attributes. A sign-in takes about 700.
    private static let longest = 3_800

    private let key = SymmetricKey(size: .bits256)

    /// The pending sign-ins of a browser that have not expired.
    func read(_ request: Request) -> [PendingSignIn] {
        guard let value = request.cookies[Self.name]?.value, let sealed = Data(base64URL: value),
            let box = try? AES.GCM.SealedBox(combined: sealed), let data = try? AES.GCM.open(box, using: key),
            let pending = try? JSONDecoder().decode([PendingSignIn].self, from: data)
        else { return [] }
        return pending.filter { $0.endsAt > Date() }
    }

    /// The cookie for these sign-ins, or for the newest of them that fit.
    func header(_ pending: [PendingSignIn]) throws -> String {
        guard let last = pending.last else { return make("", Date(timeIntervalSince1970: 0)) }
        guard let sealed = try AES.GCM.seal(JSONEncoder().encode(pending), using: key).combined else {
            preconditionFailure("a box with a nonce of 12 bytes has a combined form")
        }
        let value = sealed.base64URL
        if value.utf8.count > Self.longest, pending.count > 1 { return try header(Array(pending.dropFirst())) }
        return make(value, last.endsAt)
    }

    private func make(_ value: String, _ endsAt: Date) -> String {
        Cookie(
            name: Self.name, value: value, expires: endsAt, path: "/", secure: true, httpOnly: true, sameSite: .lax
        ).description
    }
}
