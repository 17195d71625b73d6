import Debouncing
import HandleRegistry
import Hummingbird

/// `/v1/availability/live`: the same answer while a person types, after a pause, and only for the last keystroke.
struct LiveController<C: Clock>: Sendable where C.Duration == Duration {
    let registry: Registry
    let authenticator: Authenticator
    let debouncer: Debouncer<LiveSession, C>

    func addRoutes<Context: RequestContext>(to routes: inout Routes<Context>) {
        routes.add(.get, "/v1/availability/live") { request, _ in try await check(request) }
    }

    /// The highest whole number that every JSON reader has; a page may number its keystrokes by the time.
    private static var highestNumber: Int { 9_007_199_254_740_991 }

    private func check(_ request: Request) async throws -> Response {
        let query = try Query(request)
        let question = try await AvailabilityQuestion(request, query, authenticator)
        let session = try query.require("session").checkedAsSession()
        guard let number = try query.integer("seq", in: 0...Self.highestNumber) else {
            throw Problem(
                .missingParameter, "The parameter 'seq' is missing: number the keystrokes, &seq=1, 2, 3 and so on.")
        }
        let key = LiveSession(caller: question.caller.kind, id: session)
        let availability = try await debouncer.run(key, number: UInt64(number)) { [registry] in
            try await question.ask(registry, session: session)
        }
        return .json { json in
            json.object { json in
                json.members(of: availability.decision, suggestions: availability.suggestions, for: question.audience)
                json.member("session", session)
                json.member("seq", number)
            }
        }
    }
}

/// One person's typing. Who has no key can't end the calls of those who have one, nor those of a person with a token.
struct LiveSession: Hashable, Sendable {
    let caller: Caller.Kind
    let id: String
}
