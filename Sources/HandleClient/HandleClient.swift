public import Foundation
import HTTPLoading

/// Calls of the registry over HTTP, as its contract `/openapi.json` describes them.
///
/// Every call may be repeated without doing anything twice: reads are safe, and writes carry an `Idempotency-Key`. So a call that
/// fails for a passing reason is sent again, within ``Limits/budget``. A redirect is refused, because it would carry the credential to
/// another server.
public struct HandleClient: Sendable {
    /// What a call shows the service.
    public enum Credential: Sendable {
        /// Enough for availability, and for the records of claimed names.
        case none
        /// An access key with the scopes that the calls need. It doesn't belong in an app that people install.
        case key(String)
        /// The identity token of a person, who then acts for themselves. After a 401 the token is asked for once more, with the
        /// rejected one: `SessionController.identityToken(rejected:)` fits.
        case person(token: @Sendable (_ rejected: String?) async throws -> String)
    }

    /// The numbers behind the rules, each with its reason.
    public struct Limits: Sendable {
        /// How long one request may take. People don't wait longer, and the service ends its work before.
        public var answer = Duration.seconds(10)
        /// How long a call may go on with repetitions, in all. A `Retry-After` that ends later is not waited for.
        public var budget = Duration.seconds(15)
        /// Requests of one call, the first one included.
        public var attempts = 4
        /// Pause before the first repetition, where the service asks for none; it doubles with each.
        public var pause = Duration.milliseconds(250)
        /// The longest answer that is read, in bytes: that to a question about 1,000 names, with room.
        public var answerBytes = 8 << 20
        /// Pauses before a watch connects again.
        public var reconnecting = Duration.seconds(1)...Duration.seconds(30)

        public init() {}
    }

    let base: URL
    let credential: Credential
    let transport: any Transport
    let limits: Limits
    let timing: Timing

    /// - Parameters:
    ///   - base: of the service, such as `https://handles.example`. A credential over plain `http` can be read on the way.
    ///   - clock: measures pauses and limits.
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
    /// The person whose token is shown.
    case me
    /// The owner with this id; for callers with a key.
    case id(String)
}

extension HandleClient.Credential: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .none: "none"
        case .key: "key"
        case .person: "person"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
