public import Foundation
import HTTPLoading

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension CookieSession {
    /// Sends a request with its cookies, and stores the cookies that the response sets.
    ///
    /// The cookies of a response are ignored if a log-in or log-out happened after the request was sent.
    /// - Throws: `.misconfigured` for another origin than that of `base`; `.superseded` for a redirect that would
    ///   continue in another person's session.
    public func data(for request: URLRequest) async throws(CookieSessionError) -> (Data, HTTPURLResponse) {
        await noticeRemoteLogOut()
        var exchange = Exchange(generation: presence.generation)
        let answer = try await load(request, &exchange)
        return (answer.body, answer.response)
    }

    /// A request and its redirects.
    struct Exchange {
        /// Cookies are stored until this generation ends.
        var generation: UInt64
        var isLogIn = false
        /// Whether a response to the log-in has set the session cookie.
        var isLoggedIn = false
    }

    func load(_ first: URLRequest, _ exchange: inout Exchange) async throws(CookieSessionError) -> HTTPAnswer {
        var request = first
        // The tenth redirect in a row is an error. Browsers follow 20.
        for _ in 0..<10 {
            guard let url = request.url, url.isSameOrigin(as: base) else {
                throw .misconfigured("requests must have the origin of \(base.absoluteString)")
            }
            request.httpShouldHandleCookies = false
            // A log-in is sent without the cookie of the previous session, so that no response can confirm that
            // session.
            let isOutside = exchange.isLogIn && !exchange.isLoggedIn
            request.setValue(
                jar.field(for: url, at: now(), without: isOutside ? name : nil), forHTTPHeaderField: "Cookie")
            let answer = try await answer(to: request)
            take(answer, from: url, &exchange)
            await noticeRemoteLogOut()
            guard let next = request.next(after: answer), next.url?.isSameOrigin(as: base) == true else {
                return answer
            }
            guard presence.generation == exchange.generation else { throw .superseded }
            request = next
        }
        throw .tooManyRedirects
    }

    private func answer(to request: URLRequest) async throws(CookieSessionError) -> HTTPAnswer {
        do throws(LoadError) {
            return try await loader.load(request)
        } catch {
            throw error == .cancelled ? .cancelled : .unreachable
        }
    }

    private func take(_ answer: HTTPAnswer, from url: URL, _ exchange: inout Exchange) {
        guard let field = answer.fields["set-cookie"] else { return }
        let now = now()
        let cookies = SetCookie.all(
            in: field, from: url, now: now, serverTime: answer.fields["date"].flatMap(HTTPDate.read))
        if exchange.isLogIn, !exchange.isLoggedIn { return takeLogIn(cookies, at: now, &exchange) }
        let isAbout = cookies.contains { $0.name == name }
        var isPresent = false
        let generation = presence.change(in: exchange.generation) {
            jar.take(cookies, at: now)
            isPresent = isLoggedIn
            return false
        }
        if isAbout, generation != nil { report(isPresent ? .cookieSet : .cookieRemoved) }
    }

    /// The log-in has succeeded if one of the cookies is the session cookie and requests would carry it. Otherwise the
    /// previous session stays, even if the response deletes its cookie.
    private func takeLogIn(_ cookies: [SetCookie], at now: Date, _ exchange: inout Exchange) {
        let isLogIn = cookies.contains { $0.name == name && $0.isKept(at: now) && jar.covers($0, base) }
        let generation = presence.change(in: exchange.generation) {
            if isLogIn { jar.removeAll(named: name) }
            jar.take(isLogIn ? cookies : cookies.filter { $0.name != name }, at: now)
            return isLogIn
        }
        guard isLogIn, let generation else { return }
        exchange.generation = generation
        exchange.isLoggedIn = true
        report(.cookieSet)
    }
}

extension URL {
    fileprivate func isSameOrigin(as other: URL) -> Bool {
        func origin(_ url: URL) -> [String?] {
            let scheme = url.scheme?.lowercased()
            let port = url.port ?? (scheme == "https" ? 443 : 80)
            return [scheme, url.host(percentEncoded: false)?.lowercased(), String(port)]
        }
        return origin(self) == origin(other)
    }
}

extension URLRequest {
    /// The request that a redirect leads to; nil if the response is not a redirect.
    fileprivate func next(after answer: HTTPAnswer) -> URLRequest? {
        guard [301, 302, 303, 307, 308].contains(answer.status), let location = answer.fields["location"],
            let target = URL(string: location, relativeTo: url)?.absoluteURL
        else { return nil }
        var next = self
        next.url = target
        if ![307, 308].contains(answer.status), httpMethod != "HEAD" {
            next.httpMethod = "GET"
            next.httpBody = nil
            next.setValue(nil, forHTTPHeaderField: "Content-Type")
        }
        return next
    }
}
