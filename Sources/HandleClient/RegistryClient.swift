public import Foundation
import HTTPLoading

/// Calls of the registry over HTTP, as its contract `/openapi.json` describes them.
///
/// Every call may be retried without taking effect twice: reads are safe, and writes carry an `Idempotency-Key`. So a
/// call with a transient failure is sent again, within ``Limits/budget``. A redirect is refused, because it would carry
/// the credential to another server.
///
/// ```swift
/// let registry = RegistryClient(base: url, credential: .person { try await session.identityToken(rejected: $0) })
/// let answer = try await registry.availability(of: "JaneRoe", name: "Jane Roe")
/// if answer.available { _ = try await registry.claim("JaneRoe") }
/// ```
public struct RegistryClient: Sendable {
    /// The credential of the calls.
    public enum Credential: Sendable {
        /// Enough for availability, and for the records of claimed names.
        case none
        /// An access key with the scopes that the calls need. It must not be shipped in an app.
        case key(String)
        /// The identity token of a person. The calls act for that person. After a 401 the closure is called once
        /// more, with the rejected token: `SessionController.identityToken(rejected:)` fits.
        case person(token: @Sendable (_ rejected: String?) async throws -> String)
    }

    /// Limits, each with its reason.
    public struct Limits: Sendable {
        /// Timeout of one request. People don't wait longer, and the service finishes earlier.
        public var answer = Duration.seconds(10)
        /// Total time of a call with its retries. A `Retry-After` that ends later is not awaited.
        public var budget = Duration.seconds(15)
        /// Maximum number of requests for one call, the first one included.
        public var attempts = 4
        /// Back-off before the first retry, unless the service asks for a pause; it doubles each time.
        public var pause = Duration.milliseconds(250)
        /// Maximum size of a response in bytes: enough for the answers about 1,000 names.
        public var answerBytes = 8 << 20
        /// Pauses before a watch reconnects.
        public var reconnecting = Duration.seconds(1)...Duration.seconds(30)

        /// The limits with their default values.
        public init() {}
    }

    let base: URL
    let credential: Credential
    let transport: any Transport
    let limits: Limits
    let timing: Timing

    /// - Parameters:
    ///   - base: the address of the service, such as `https://handles.example`. Plain `http` exposes the credential.
    ///   - credential: sent with every call.
    ///   - transport: sends the requests.
    ///   - limits: timeouts, retries and sizes.
    ///   - clock: measures pauses and timeouts.
    public init(
        base: URL, credential: Credential = .none, transport: any Transport = URLSessionTransport(),
        limits: Limits = Limits(), clock: any Clock<Duration> = .continuous
    ) {
        self.base = base
        self.credential = credential
        self.transport = transport
        self.limits = limits
        timing = Timing(clock)
    }
}

/// The owner that a call is for.
public enum HandleOwner: Sendable, Hashable {
    /// The person that the token identifies.
    case me
    /// The owner with this id; needs a key.
    case id(String)
}

extension RegistryClient.Credential: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .none: "none"
        case .key: "key"
        case .person: "person"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
