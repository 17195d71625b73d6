import Foundation
import HTTPLoading
import Testing

@testable import Sessions
@testable import CookieSessions

@Suite struct SetCookieTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func read(_ field: String, from url: String = "https://www.example.com/forum/account.php") throws
        -> [SetCookie]
    {
        SetCookie.all(in: field, from: try #require(URL(string: url)), now: Self.now, serverTime: nil)
    }

    @Test func joinedCookiesAreSplitButTheirDatesAreNot() throws {
        let cookies = try read(
            "bbuserid=42; expires=Wed, 09-Jun-2027 10:18:14 GMT; path=/; secure; HttpOnly,"
                + " bbpassword=a=b; Path=/forum , sid=; Max-Age=0,x=1")
        #expect(cookies.map(\.name) == ["bbuserid", "bbpassword", "sid", "x"])
        #expect(cookies.map(\.value) == ["42", "a=b", "", "1"])
        #expect(cookies.map(\.path) == ["/", "/forum", "/forum", "/forum"])
        #expect(cookies[0].isSecure && cookies[0].isHTTPOnly && !cookies[1].isSecure)
        #expect(cookies[0].end == Date(timeIntervalSince1970: 1_812_536_294))
    }

    /// PHP has such names, and services that put addresses into names.
    @Test(arguments: ["prefs[x]", "a@b", "a/b", "a:b"])
    func cookiesWithNamesThatAreNoTokensAreSplitToo(_ name: String) throws {
        let cookies = try read("bbuserid=42; Path=/, \(name)=; Max-Age=0")
        #expect(cookies.map(\.name) == ["bbuserid", name])
        #expect(cookies[0].path == "/" && cookies[0].end == nil)
    }

    /// Nil for a cookie that lasts until the program ends.
    @Test(
        arguments: [
            ("a=1; Max-Age=60", now + 60), ("a=1; Max-Age=60; Expires=Wed, 09 Jun 2021 10:18:14 GMT", now + 60),
            ("a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT; max-age=60", now + 60),
            ("a=1; Max-Age=99999999999999999999", now + 34_560_000), ("a=1; Max-Age=0", .distantPast),
            ("a=1; Max-Age=-1", .distantPast),
            ("a=1; Max-Age=0; Expires=Wed, 09 Jun 2027 10:18:14 GMT", .distantPast), ("a=1", nil),
            ("a=1; Max-Age=", nil), ("a=1; Max-Age=soon", nil), ("a=1; Expires=soon", nil),
        ] as [(String, Date?)])
    func maxAgeSetsTheExpiryAndOverridesExpires(_ field: String, _ end: Date?) throws {
        #expect(try read(field)[0].end == end)
    }

    /// The device's clock is months behind the server's. The cookie still ends after one hour.
    @Test func expiryIsComputedFromTheDateOfTheServer() throws {
        let cookies = SetCookie.all(
            in: "a=1; Expires=Wed, 09 Jun 2027 11:18:14 GMT", from: try #require(URL(string: "https://example.com/")),
            now: Self.now, serverTime: HTTPDate.read("Wed, 09 Jun 2027 10:18:14 GMT"))
        #expect(cookies[0].end == Self.now.addingTimeInterval(3600))
    }

    @Test(arguments: [
        ("a=1; Domain=example.com", ".example.com"), ("a=1; Domain=.Example.com", ".example.com"),
        ("a=1; Domain=www.example.com", ".www.example.com"), ("a=1", "www.example.com"),
        ("a=1; Domain=", "www.example.com"),
    ])
    func domainIsTheHostOrAParentOfIt(_ field: String, _ domain: String) throws {
        #expect(try read(field).map(\.domain) == [domain])
    }

    @Test(arguments: [
        "a=1; Domain=other.example", "a=1; Domain=ample.com", "a=1; Domain=com", "a=1; Domain=b.www.example.com", "=1",
        "a", "a b=1", "", "a=1\u{7}", "__Host-a=1; Path=/", "__Host-a=1; Secure; Path=/forum",
        "__Host-a=1; Secure; Path=/; Domain=www.example.com", "__Secure-a=1",
    ])
    func cookiesThatAServerMayNotSetAreIgnored(_ field: String) throws { #expect(try read(field) == []) }

    @Test func namePrefixesAndSecureAreChecked() throws {
        #expect(try read("__Host-a=1; Secure; Path=/").count == 1)
        #expect(try read("a=1; Secure", from: "http://example.com/") == [])
        #expect(try read("a=1; Secure", from: "http://127.0.0.1:8080/").count == 1)
        #expect(try read("a=1; Domain=0.0.1", from: "http://127.0.0.1:8080/") == [])
    }

    @Test(arguments: [
        ("https://example.com", "/"), ("https://example.com/", "/"), ("https://example.com/a", "/"),
        ("https://example.com/a/", "/a"), ("https://example.com/a/b?c=/d/", "/a"),
    ])
    func defaultPathIsTheFolderOfTheURL(_ url: String, _ path: String) throws {
        #expect(try read("a=1", from: url).map(\.path) == [path])
    }

    @Test(arguments: [
        "Wed, 09 Jun 2027 10:18:14 GMT", "Wednesday, 09-Jun-27 10:18:14 GMT", "Wed Jun  9 10:18:14 2027",
        "9 jun 2027 10:18:14",
    ])
    func datesAreReadInEveryFormatThatServersUse(_ text: String) {
        #expect(HTTPDate.read(text) == Date(timeIntervalSince1970: 1_812_536_294))
    }

    @Test(arguments: [
        "", "soon", "Wed, 31 Feb 2027 10:18:14 GMT", "Wed, 09 Jun 1600 10:18:14 GMT", "Wed, 09 Jun 2027 24:18:14 GMT",
        "Wed, 09 Jun 2027", "Wed, 00 Jun 2027 10:18:14 GMT",
    ])
    func textThatIsNoDateIsReadAsNil(_ text: String) { #expect(HTTPDate.read(text) == nil) }
}
