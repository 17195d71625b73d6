import Foundation
import HTTPLoading

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The system's cookie storage with the rules of RFC 6265 for choosing cookies. FoundationNetworking's own rules send
/// the cookies of `/forum` to `/forumx`, and `Secure` cookies over http.
struct CookieJar: Sendable {
    let storage: HTTPCookieStorage

    /// The cookies for a request, those with longer paths first.
    func cookies(for url: URL, at now: Date) -> [HTTPCookie] {
        guard let host = url.host(percentEncoded: false)?.lowercased() else { return [] }
        let path = url.path(percentEncoded: true)
        return (storage.cookies ?? []).filter { cookie in
            Self.covers(cookie.domain, host) && Self.covers(path: cookie.path, path)
                && (!cookie.isSecure || url.isSafeForSecrets) && (cookie.expiresDate.map { $0 > now } ?? true)
        }.sorted { ($1.path.utf8.count, $0.name) < ($0.path.utf8.count, $1.name) }
    }

    /// The first cookie of this name that a request would carry; nil if there is none or it is empty.
    func cookie(_ name: String, for url: URL, at now: Date) -> HTTPCookie? {
        cookies(for: url, at: now).first { $0.name == name && !$0.value.isEmpty }
    }

    /// The `Cookie` field of a request; nil without cookies.
    /// - Parameter omitted: the name of cookies that are left out.
    func field(for url: URL, at now: Date, without omitted: String? = nil) -> String? {
        let pairs = cookies(for: url, at: now).filter { $0.name != omitted }.map { "\($0.name)=\($0.value)" }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    /// Stores and deletes the cookies of a response.
    func take(_ cookies: [SetCookie], at now: Date) {
        if !cookies.isEmpty { CookieFolder.restrict() }
        for cookie in cookies {
            if !cookie.isKept(at: now) {
                remove(cookie)
            } else if let system = HTTPCookie(properties: cookie.properties) {
                remove(cookie)
                storage.setCookie(system)
            }
        }
    }

    /// - Parameter name: nil for all cookies.
    func removeAll(named name: String? = nil) {
        for cookie in storage.cookies ?? [] where name == nil || cookie.name == name { storage.deleteCookie(cookie) }
    }

    /// Whether a request for `url` would carry the cookie.
    func covers(_ cookie: SetCookie, _ url: URL) -> Bool {
        let host = url.host(percentEncoded: false)?.lowercased() ?? ""
        return Self.covers(cookie.domain, host) && Self.covers(path: cookie.path, url.path(percentEncoded: true))
    }

    private func remove(_ cookie: SetCookie) {
        for system in storage.cookies ?? []
        where system.name == cookie.name && system.domain == cookie.domain && system.path == cookie.path {
            storage.deleteCookie(system)
        }
    }

    private static func covers(_ domain: String, _ host: String) -> Bool {
        let domain = domain.lowercased()
        guard domain.hasPrefix(".") else { return domain == host }
        return host == domain.dropFirst() || host.hasSuffix(domain)
    }

    /// RFC 6265, 5.1.4.
    private static func covers(path: String, _ asked: String) -> Bool {
        let asked = asked.isEmpty ? "/" : asked
        return asked == path || asked.hasPrefix(path.hasSuffix("/") ? path : path + "/")
    }
}

extension SetCookie {
    /// Whether the cookie is stored rather than deleted. Services without `Max-Age` log people out by an empty value.
    func isKept(at now: Date) -> Bool { !value.isEmpty && end.map { $0 > now } ?? true }

    fileprivate var properties: [HTTPCookiePropertyKey: Any] {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: domain, .path: path,
        ]
        if let end { properties[.expires] = end }
        if isSecure { properties[.secure] = "TRUE" }
        if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        if let sameSite { properties[HTTPCookiePropertyKey("SameSite")] = sameSite.lowercased() }
        return properties
    }
}
