import Debouncing
import HandleRegistry
import HandleRules
import Hummingbird

/// `/v1/availability/live`: checks a name while the user types, after a pause, and only for the last keystroke.
struct LiveController<C: Clock>: Sendable where C.Duration == Duration {
    let registry: Registry
    let debouncer: Debouncer<LiveSession, C>
    let load: ServerLoad
    /// The concurrency limit.
    let inFlight: Int

    func addRoutes(to routes: inout Routes) {
        routes.add(.get, RouterPath(CallPath.live), for: .anyone) { try await check($0, $1, $2) }
    }

    /// The largest integer that every JSON parser reads exactly. A page may number keystrokes by the time.
    private static var highestNumber: Int { 9_007_199_254_740_991 }

    private func check(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let query = try Query(request)
        let question = try AvailabilityQuestion(query, of: caller)
        let session = try query.require("session").checkedAsSession()
        guard let number = try query.integer("seq", in: 0...Self.highestNumber) else {
            throw Problem(
                .missingParameter,
                "The parameter 'seq' is missing: number the keystrokes with &seq=1, &seq=2 and so on.")
        }
        let key = LiveSession(caller, from: context.subscriber, id: session)
        let availability = try await debouncer.run(key, number: UInt64(number)) { [registry, load, inFlight] in
            // The pause is over; the call counts against the concurrency limit from here on.
            guard load.beginRequest(atMost: inFlight) else { throw Problem.overloaded }
            defer { load.endRequest() }
            return try await question.ask(registry, session: session)
        }
        return .json(headers: .age(asOf: availability.asOf)) { json in
            json.object { json in
                json.members(
                    of: availability.decision, about: question.handle, suggestions: availability.suggestions,
                    for: question.audience)
                json.member("session", session)
                json.member("seq", number)
            }
        }
    }
}

/// The debounce key of a typing session. A call can only supersede calls of the same session and caller: the same
/// access key, person or, without a credential, subscriber.
struct LiveSession: Hashable, Sendable {
    private let caller: String
    private let subscriber: InternetAddress?
    private let id: String

    init(_ caller: Caller, from subscriber: InternetAddress?, id: String) {
        (self.caller, self.id) = (caller.id, id)
        self.subscriber = caller == .anyone ? subscriber : nil
    }
}
