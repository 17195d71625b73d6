import Foundation
import Hummingbird

/// The cookie with the session's id. Because of the prefix `__Host-`, browsers refuse it with `Domain`, with another
/// path than `/`, or without `Secure`.
enum SessionCookie {
    static let name = "__Host-signup"

    static func read(_ request: Request) -> SessionID? {
        request.cookies[name].flatMap { SessionID($0.value) }
    }

    static func header(_ id: SessionID, until endsAt: Date) -> String { make(id.text, endsAt) }

    static var removal: String { make("", Date(timeIntervalSince1970: 0)) }

    // `Expires` without `Max-Age`: FoundationNetworking ignores the latter.
    private static func make(_ value: String, _ endsAt: Date) -> String {
        Cookie(
            name: name, value: value, expires: endsAt, path: "/", secure: true, httpOnly: true, sameSite: .lax
        ).description
    }
}
