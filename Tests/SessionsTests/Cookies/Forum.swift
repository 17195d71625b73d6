import Foundation
import CookieSessions
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import Sessions
import TestIssuer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A service over HTTP that logs people in with a cookie. A test sets its next answers.
final class Forum: Sendable {
    /// A request.
    struct Seen: Equatable {
        let method: String
        let path: String
        let cookie: String?
        let body: String
    }

    /// An answer; by default 200 without cookies.
    struct Answer {
        var status = 200
        var cookies: [String] = []
        var location: String?
        var body = ""
    }

    private struct State {
        var seen: [Seen] = []
        var answers: [(path: String?, answer: Answer)] = []
        var isHeld = false
        var gate: CheckedContinuation<Void, Never>?
        var remoteLogOuts = 0
    }

    let base: URL
    private let state = NIOLockedValueBox(State())

    /// Keeps its cookies in memory.
    let storage: HTTPCookieStorage
    let facts: AccountFactsStore

    private init(base: URL, storage: HTTPCookieStorage, facts: AccountFactsStore) {
        self.base = base
        self.storage = storage
        self.facts = facts
    }

    var seen: [Seen] { state.withLockedValue(\.seen) }
    /// How often the sessions here said that the server had logged the person out.
    var remoteLogOuts: Int { state.withLockedValue(\.remoteLogOuts) }

    /// Queues the next answers, in order: for any request, or for requests with `path` in their path.
    func answer(_ answers: Answer..., to path: String? = nil) {
        state.withLockedValue { $0.answers += answers.map { (path, $0) } }
    }

    func letGo() {
        state.withLockedValue { state in
            state.isHeld = false
            defer { state.gate = nil }
            return state.gate
        }?.resume()
    }

    static func run<Result: Sendable>(
        _ body: @escaping @Sendable (Forum) async throws -> Result
    ) async throws -> Result {
        let forum = NIOLockedValueBox<Forum?>(nil)
        let defaults = TemporaryDefaults()
        let responder = CallbackResponder { (request: Request, _: BasicRequestContext) in
            guard let forum = forum.withLockedValue(\.self) else { return Response(status: .notFound) }
            return try await forum.respond(to: request)
        }
        return try await LoopbackServer.run(responder) { server in
            let served = Forum(
                base: server.appending(path: "forum/"),
                storage: try #require(URLSessionConfiguration.ephemeral.httpCookieStorage),
                facts: AccountFactsStore(suite: defaults.suite))
            forum.withLockedValue { $0 = served }
            defer { served.letGo() }
            return try await body(served)
        }
    }

    // MARK: For its clients

    static let cookie = "bbuserid=42; Max-Age=2592000; Path=/; HttpOnly"
    static let account = #"{"userid":42}"#

    func session(
        steps: [LogoutStep] = [], clock: any Clock<Duration> = .continuous,
        now: @escaping @Sendable () -> Date = { Date() },
        report: @escaping @Sendable (CookieSessionEvent) -> Void = { _ in }
    ) throws -> CookieSession {
        var configuration = CookieSession.Configuration()
        configuration.storage = storage
        configuration.facts = facts
        configuration.logOutSteps = steps
        configuration.clock = clock
        configuration.now = now
        configuration.report = report
        configuration.didRemotelyLogOut = { [state] in state.withLockedValue { $0.remoteLogOuts += 1 } }
        return try CookieSession(name: "bbuserid", base: base, configuration: configuration)
    }

    func loggedIn(steps: [LogoutStep] = [], cookie: String = Forum.cookie) async throws -> CookieSession {
        let session = try session(steps: steps)
        try await logIn(session, cookie: cookie)
        return session
    }

    /// Begins a call and returns once its request is there. Its answer waits until `letGo`.
    func held(_ call: @escaping @Sendable () async throws -> Void) async throws -> Task<Void, any Error> {
        state.withLockedValue { $0.isHeld = true }
        let task = Task { try await call() }
        try await eventually("the request is there") { state.withLockedValue { $0.gate != nil } }
        return task
    }

    func logIn(_ session: CookieSession, cookie: String = Forum.cookie) async throws {
        answer(.init(cookies: [cookie], body: Self.account), to: "account.php")
        try await session.logIn(form: ["username": "jane", "password": "a b&c"], at: "account.php?json=1") { body in
            #expect(String(decoding: body, as: UTF8.self) == Self.account)
            return AccountFacts(userID: "42", username: "jane", canSendPrivateMessages: true)
        }
    }

    func request(_ path: String = "thread") throws -> URLRequest {
        URLRequest(url: try #require(URL(string: path, relativeTo: base)?.absoluteURL))
    }

    // MARK: Serving

    private func respond(to request: Request) async throws -> Response {
        let body = String(buffer: try await request.body.collect(upTo: 1 << 20))
        let (answer, waits) = state.withLockedValue { state in
            state.seen.append(
                Seen(
                    method: request.method.rawValue, path: request.uri.string, cookie: request.headers[.cookie],
                    body: body))
            let waits = state.isHeld
            state.isHeld = false
            let index = state.answers.firstIndex { $0.path.map(request.uri.string.contains) ?? true }
            return (index.map { state.answers.remove(at: $0).answer } ?? Answer(), waits)
        }
        if waits {
            await withCheckedContinuation { continuation in state.withLockedValue { $0.gate = continuation } }
        }
        var fields = HTTPFields()
        for cookie in answer.cookies { fields.append(HTTPField(name: .setCookie, value: cookie)) }
        if let location = answer.location { fields[.location] = location }
        return Response(
            status: .init(code: answer.status), headers: fields,
            body: .init(byteBuffer: ByteBuffer(string: answer.body)))
    }
}

/// Defaults for one test. Their file is removed afterwards.
private final class TemporaryDefaults: Sendable {
    let suite = "handle-registry-test-\(UUID().uuidString)"

    deinit {
        UserDefaults.standard.removePersistentDomain(forName: suite)
        let folder = ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"] ?? NSHomeDirectory() + "/.config"
        try? FileManager.default.removeItem(atPath: "\(folder)/\(suite).plist")
    }
}
