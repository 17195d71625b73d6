import Foundation
@testable import CookieSessions
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import Sessions

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A cookie session against a real server.
@Suite struct CookieSessionTests {
    @Test func thePersonIsLoggedInWhileTheCookieIsPresent() async throws {
        try await Forum.run { forum in
            let session = try forum.session()
            #expect(!session.isLoggedIn)
            try await forum.logIn(session)
            #expect(session.isLoggedIn)
            #expect(session.loginCookie?.value == "42")
            #expect(session.facts.facts?.username == "jane")
            _ = try await session.data(for: forum.request())
            #expect(
                forum.seen == [
                    .init(
                        method: "POST", path: "/forum/account.php?json=1", cookie: nil,
                        body: "username=jane&password=a%20b%26c"),
                    .init(method: "GET", path: "/forum/thread", cookie: "bbuserid=42", body: ""),
                ])
            await session.logOut()
            #expect(!session.isLoggedIn)
            #expect(session.facts.facts == nil)
        }
    }

    /// A cookie for another host or path would be missing in the next request, which would ask for a log-in again.
    @Test(arguments: ["bbuserid=42; Domain=example.com", "bbuserid=42; Path=/elsewhere"])
    func logInWithACookieForAnotherHostOrPathIsRefused(_ cookie: String) async throws {
        try await Forum.run { forum in
            let session = try forum.session()
            await #expect(throws: CookieSessionError.refused(status: 200)) {
                try await forum.logIn(session, cookie: cookie)
            }
            #expect(!session.isLoggedIn)
        }
    }

    /// The server answers without the cookie, or ends it.
    @Test(arguments: ["other=1", "bbuserid=; Max-Age=0; Path=/", "bbuserid=43; Path=/elsewhere"])
    func refusedLogInLeavesTheOldSession(_ cookie: String) async throws {
        try await Forum.run { forum in
            let session = try await forum.loggedIn()
            forum.answer(.init(cookies: [cookie], body: "wrong password"))
            await #expect(throws: CookieSessionError.refused(status: 200)) {
                try await session.logIn(form: ["username": "joe"], at: "account.php")
            }
            // With the cookie in the request the server would renew it.
            #expect(forum.seen.last?.cookie == nil)
            #expect(session.loginCookie?.value == "42")
            #expect(session.facts.facts?.username == "jane")
        }
    }

    @Test func newLoginCookieReplacesTheOldOnesOfEveryPath() async throws {
        try await Forum.run { forum in
            let session = try await forum.loggedIn(cookie: "bbuserid=42; Path=/forum/")
            try await forum.logIn(session, cookie: "bbuserid=43; Path=/")
            _ = try await session.data(for: forum.request())
            #expect(forum.seen.last?.cookie == "bbuserid=43")
        }
    }

    @Test func logInWithUnreadableFactsIsUndone() async throws {
        struct Unreadable: Error {}
        try await Forum.run { forum in
            let session = try forum.session()
            forum.answer(.init(cookies: [Forum.cookie]))
            await #expect(throws: Unreadable.self) {
                try await session.logIn(form: [:], at: "account.php") { _ in throw Unreadable() }
            }
            #expect(!session.isLoggedIn)
        }
    }

    @Test func aLogInMayRedirect() async throws {
        try await Forum.run { forum in
            let session = try forum.session()
            forum.answer(.init(status: 302, cookies: [Forum.cookie], location: "index.php"), .init(body: "welcome"))
            try await session.logIn(form: ["username": "jane"], at: "account.php")
            #expect(session.isLoggedIn)
            #expect(forum.seen.map(\.method) == ["POST", "GET"])
            #expect(forum.seen.last == .init(method: "GET", path: "/forum/index.php", cookie: "bbuserid=42", body: ""))
        }
    }

    @Test func cookiesStayWithinTheOrigin() async throws {
        try await Forum.run { stranger in
            try await Forum.run { forum in
                let session = try await forum.loggedIn()
                forum.answer(.init(status: 307, location: stranger.base.absoluteString))
                let (_, response) = try await session.data(for: forum.request())
                #expect(response.statusCode == 307)
                await #expect { _ = try await session.data(for: URLRequest(url: stranger.base)) } throws: {
                    ($0 as? CookieSessionError)?.code == .misconfigured
                }
                #expect(stranger.seen.isEmpty)
            }
        }
    }

    @Test func redirectLoopEndsWithAnError() async throws {
        try await Forum.run { forum in
            let session = try forum.session()
            for _ in 0..<10 { forum.answer(.init(status: 302, location: "thread")) }
            await #expect(throws: CookieSessionError.tooManyRedirects) {
                _ = try await session.data(for: forum.request())
            }
        }
    }

    // MARK: Expiry

    @Test func expiryWarningIsGivenInTheLastSevenDays() async throws {
        try await Forum.run { forum in
            // Cookies are stored with whole seconds.
            let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
            let session = try forum.session(now: { start })
            #expect(session.expiryWarning(at: start) == nil)
            try await forum.logIn(session)
            let end = try #require(session.loginCookieExpiryDate)
            #expect(end == start + 2_592_000)
            #expect(session.expiryWarning(at: end - 7 * 86_400) == nil)
            #expect(session.expiryWarning(at: end - 7 * 86_400 + 1) == end)
            try await forum.logIn(session, cookie: "bbuserid=42; Path=/")
            #expect(session.isLoggedIn && session.expiryWarning() == nil)
        }
    }

    /// By a device clock that is ten days ahead, the cookie would have expired before it arrived.
    @Test(arguments: [(10.0, 5.0), (-10, 20)])
    func aWrongClockOfTheDeviceEndsNoSession(_ days: Double, _ lifetime: Double) async throws {
        try await Forum.run { forum in
            let day = 86_400.0
            let now = Date() + days * day
            let session = try forum.session(now: { now })
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = .gmt
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            let end = format.string(from: Date() + lifetime * day)
            try await forum.logIn(session, cookie: "bbuserid=42; Expires=\(end); Path=/")
            let expiry = try #require(session.loginCookieExpiryDate)
            #expect(session.isLoggedIn)
            // A day is far more than the test takes.
            #expect(abs(expiry.timeIntervalSince(now) - lifetime * day) < day)
        }
    }

    // MARK: Faults

    @Test func networkErrorsKeepTheSession() async throws {
        let server = try ClosingListener()
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let base = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        CookieJar(storage: storage).take(
            SetCookie.all(in: Forum.cookie, from: base, now: Date(), serverTime: nil), at: Date())
        var configuration = CookieSession.Configuration()
        configuration.storage = storage
        let session = try CookieSession(name: "bbuserid", base: base, configuration: configuration)
        #expect(session.isLoggedIn)
        await #expect(throws: CookieSessionError.unreachable) { _ = try await session.data(for: URLRequest(url: base)) }
        await #expect(throws: CookieSessionError.unreachable) { try await session.logIn(form: [:], at: "account.php") }
        #expect(session.isLoggedIn)
    }

    @Test func cookieSessionNeedsHTTPS() throws {
        #expect { _ = try CookieSession(name: "a", base: try #require(URL(string: "http://example.com/"))) } throws: {
            ($0 as? CookieSessionError)?.code == .misconfigured
        }
    }

    @Test func cookiesAreSentOnlyToTheirDomainAndPath() throws {
        let jar = CookieJar(storage: try #require(URLSessionConfiguration.ephemeral.httpCookieStorage))
        let now = Date()
        func url(_ text: String) throws -> URL { try #require(URL(string: text)) }
        jar.take(
            SetCookie.all(
                in: "a=1; Path=/forum, b=2; Secure; Path=/, c=3; Domain=example.com; Path=/",
                from: try url("https://www.example.com/"), now: now, serverTime: nil), at: now)
        func names(_ text: String) throws -> [String] { jar.cookies(for: try url(text), at: now).map(\.name) }
        #expect(try names("https://www.example.com/forum/x") == ["a", "b", "c"])
        #expect(try names("https://www.example.com/forumx") == ["b", "c"])
        #expect(try names("http://www.example.com/forum") == ["a", "c"])
        #expect(try names("https://example.com/forum") == ["c"])
        #expect(try names("https://a.www.example.com/") == ["c"])
        #expect(try names("https://notexample.com/") == [])
    }
}
