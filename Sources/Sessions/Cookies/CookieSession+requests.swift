public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension CookieSession {
    /// Sends a request with the cookies that belong to it, and keeps the cookies that its answer sets.
    ///
    /// The cookies of an answer are ignored if somebody has logged in or out since the request was sent.
    /// - Throws: `.misconfigured` for another origin than that of `base`.
    public func data(for request: URLRequest) async throws(CookieSessionError) -> (Data, HTTPURLResponse) {
        await noticeRemoteLogOut()
        var exchange = Exchange(generation: presence.generation)
        let answer = try await load(request, &exchange)
        return (answer.body, answer.response)
    }

    /// A request and its redirects.
    struct Exchange {
        /// Cookies are kept until this generation ends.
        var generation: UInt64
        var isLogIn = false
        /// Whether an answer to the log-in has set the cookie of the session.
        var isLoggedIn = false
    }

    func load(_ first: URLRequest, _ exchange: inout Exchange) async throws(CookieSessionError) -> HTTPAnswer {
        var request = first
        // Browsers follow 20; an answer that needs more than 10 is a circle.
        for _ in 0..<10 {
            guard let url = request.url, url.isSameOrigin(as: base) else {
                throw .misconfigured("requests go to \(base.absoluteString) only")
            }
            request.httpShouldHandleCookies = false
            request.setValue(jar.field(for: url, at: now()), forHTTPHeaderField: "Cookie")
            let answer = try await answer(to: request)
            take(answer, from: url, &exchange)
            await noticeRemoteLogOut()
            guard let next = request.next(after: answer), next.url?.isSameOrigin(as: base) == true else {
                return answer
            }
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
        let isLogIn = exchange.isLogIn
        let isAbout = cookies.contains { $0.name == name }
        var isPresent = false
        let generation = presence.change(in: exchange.generation) {
            jar.take(cookies, at: now)
            isPresent = isLoggedIn
            return isLogIn && isAbout && isPresent
        }
        guard let generation else { return }
        if isAbout { report(isPresent ? .cookieSet : .cookieRemoved) }
        guard generation != exchange.generation else { return }
        exchange.generation = generation
        exchange.isLoggedIn = true
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
    /// The request that a redirect asks for; nil if the answer is none.
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
