public import Foundation
import HTTPLoading
public import Sessions

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A session based on a cookie, for services without tokens: while the cookie is present, the person is logged in.
///
/// Cookies are kept in the system's storage. This module chooses the cookies for a request and parses `Set-Cookie`
/// itself. All requests go to one origin, over https (http is allowed within the machine). Redirects are followed within
/// that origin.
///
/// ```swift
/// let session = try CookieSession(name: "session_id", base: forum)
/// try await session.logIn(form: ["username": name, "password": password], at: "login")
/// let (body, response) = try await session.data(for: request)
/// ```
public final class CookieSession: Sendable {
    /// Reads the facts of the account from the response to a log-in.
    public typealias FactsReader = @Sendable (_ body: Data) throws -> AccountFacts?

    /// The name of the session cookie.
    public let name: String
    /// The origin of all requests. The path of a log-in is relative to it.
    public let base: URL
    /// The facts of the logged-in account; empty while no person is logged in.
    public let facts: AccountFactsStore
    let jar: CookieJar
    let loader: HTTPLoader
    let now: @Sendable () -> Date
    let presence: CookiePresence
    private let steps: LogoutSteps
    private let timing: Timing
    let report: @Sendable (CookieSessionEvent) -> Void
    private let didRemotelyLogOut: @Sendable () async -> Void

    /// The settings of a session, each with a default.
    public struct Configuration: Sendable {
        /// On Linux all programs in folders of the same name, such as `bin`, share `.shared`.
        /// `.sharedCookieStorage(forGroupContainerIdentifier:)` gives a program its own storage.
        public var storage = HTTPCookieStorage.shared
        /// Stores the facts of the account; by default in the program's own user defaults.
        public var facts = AccountFactsStore()
        /// Run at log-out after the cookies, the facts and the URL cache are cleared, in this order: for example clearing
        /// the image cache and the data store, and returning to the log-in screen.
        public var logOutSteps: [LogoutStep] = []
        /// For a response to begin, and between two parts of it.
        public var timeout = Duration.seconds(30)
        /// Measures how long a log-in waits for the steps of the previous log-out.
        public var clock: any Clock<Duration> = .continuous
        /// The device's time of day.
        public var now: @Sendable () -> Date = { Date() }
        /// Called with each event, from any thread.
        public var report: @Sendable (CookieSessionEvent) -> Void = { _ in }
        /// Called once when the cookie is missing without a log-out here, after everything was cleared as by
        /// ``CookieSession/logOut()``: for example to inform the person.
        public var didRemotelyLogOut: @Sendable () async -> Void = {}

        /// The settings with their default values.
        public init() {}
    }

    /// - Parameters:
    ///   - name: the name of the session cookie.
    ///   - base: the origin of all requests; with a slash at its end if it has a path.
    ///   - configuration: the other settings.
    /// - Throws: `.misconfigured`.
    public init(
        name: String, base: URL, configuration: Configuration = Configuration()
    ) throws(CookieSessionError) {
        guard base.isSafeForSecrets else {
            throw .misconfigured("\(base.absoluteString) needs https; http is allowed for this machine only")
        }
        self.name = name
        self.base = base
        facts = configuration.facts
        steps = LogoutSteps(configuration.logOutSteps)
        timing = Timing(configuration.clock)
        now = configuration.now
        report = configuration.report
        didRemotelyLogOut = configuration.didRemotelyLogOut
        jar = CookieJar(storage: configuration.storage)
        loader = HTTPLoader(timeout: configuration.timeout, longest: 64 << 20)
        // Facts without a cookie: the cookie has expired since the last launch.
        presence = CookiePresence(jar.cookie(name, for: base, at: now()) != nil || facts.facts != nil)
    }

    // MARK: State

    /// The session cookie that a request to ``base`` would carry now; nil when the person is logged out.
    public var loginCookie: HTTPCookie? { jar.cookie(name, for: base, at: now()) }

    /// Whether ``loginCookie`` is present: it has not expired by the device's clock.
    public var isLoggedIn: Bool { loginCookie != nil }

    /// By the device's clock; nil without a cookie, and for a cookie that lasts until the program ends.
    public var loginCookieExpiryDate: Date? { loginCookie?.expiresDate }

    /// The end of the session if it is less than 7 days away, so that the app can ask the person to log in again in
    /// time.
    /// - Parameter date: nil for the current time.
    public func expiryWarning(at date: Date? = nil) -> Date? {
        loginCookieExpiryDate.flatMap { $0.timeIntervalSince(date ?? now()) < 7 * 86_400 ? $0 : nil }
    }

    // MARK: Logging in and out

    /// Call this when the app starts. Detects a session that has ended since, as every request does.
    /// - Returns: whether the session of the last launch continues.
    @discardableResult
    public func restore() async -> Bool {
        await noticeRemoteLogOut()
        return isLoggedIn
    }

    /// Sends a form. The person is logged in if the response sets the cookie.
    /// - Parameters:
    ///   - form: the fields in order, URL-encoded in the body of a POST.
    ///   - path: relative to `base`, such as `account.php?json=1`.
    ///   - read: reads the facts from the response. If it throws, the session is logged out and the error is rethrown.
    /// - Throws: `.refused` if the response sets no such cookie; the previous session stays. `.superseded` if another
    ///   log-in or a log-out happened before the response.
    public func logIn(
        form: KeyValuePairs<String, String>, at path: String, facts read: FactsReader = { _ in nil }
    ) async throws {
        guard let url = URL(string: path, relativeTo: base)?.absoluteURL else {
            throw CookieSessionError.misconfigured("\(path) is not a path beneath \(base.absoluteString)")
        }
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.httpMethod = "POST"
        request.setValue(FormBody.contentType, forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(FormBody(form.map { (name: $0.key, value: $0.value) }).text.utf8)
        report(.logInStarted)
        do {
            await noticeRemoteLogOut()
            await steps.ended(timing)
            try await logIn(request, read)
        } catch {
            report(.logInFailed)
            throw error
        }
        report(.loggedIn)
    }

    private func logIn(_ request: URLRequest, _ read: FactsReader) async throws {
        var exchange = Exchange(generation: presence.generation, isLogIn: true)
        let answer = try await load(request, &exchange)
        guard presence.generation == exchange.generation else { throw CookieSessionError.superseded }
        guard exchange.isLoggedIn else { throw CookieSessionError.refused(status: answer.status) }
        let found: AccountFacts?
        do {
            found = try read(answer.body)
        } catch {
            await logOut(.requested, in: exchange.generation)
            throw error
        }
        let isKept = presence.change(in: exchange.generation) {
            if let found { facts.save(found) } else { facts.clear() }
            return false
        }
        guard isKept != nil else { throw CookieSessionError.superseded }
    }

    /// Clears the cookies, the facts and the URL cache, then runs all steps in order, even if one fails. The next
    /// log-in waits for them, for at most five seconds.
    public func logOut() async { await logOut(.requested, in: nil) }

    private func logOut(_ reason: SignOutReason, in generation: UInt64?) async {
        if presence.end(generation, forget) { await finishLogOut(reason) }
    }

    /// Compares the presence of the cookie with the last check. A missing cookie is a remote log-out.
    func noticeRemoteLogOut() async {
        guard presence.noticeEnd(isPresent: { isLoggedIn }, forget: forget) else { return }
        await finishLogOut(.remote)
        await didRemotelyLogOut()
    }

    private func forget() {
        jar.removeAll()
        facts.clear()
    }

    private func finishLogOut(_ reason: SignOutReason) async {
        URLCache.shared.removeAllCachedResponses()
        report(.loggedOut(reason))
        await steps.start { [report] name in report(.logOutStepFailed(name)) }.value
    }
}

extension CookieSession: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: []) }
}
