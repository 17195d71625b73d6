import HandleRegistry
import HandleRules
import HandleWords
import Hummingbird

/// `/v1/reservations`: reserves names.
struct ReservationsController: Sendable {
    let registry: Registry

    func addRoutes(to routes: inout Routes) {
        routes.add(.post, "/v1/reservations", for: .holders(of: .moderate)) { try await reserve($0, $1, $2) }
    }

    private func reserve(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let body = try write.json("handle", "display", "reason", "owner", "until", "take", "allow_lookalike")
        let typed = try body.text("handle").checkedAsTypedHandle()
        let reading = Reading(typed: try typed.spelled(as: body.optionalText("display")))
        let reservation = Reservation(
            reason: try body.reason(),
            owner: try body.optionalText("owner").map { id throws(Problem) in try id.checkedAsOwner() },
            until: try body.optionalEnd("until"))
        let (takes, allowsLookalike) = (try body.flag("take"), try body.flag("allow_lookalike"))
        guard let display = reading.display else {
            throw Problem.refused(.decide(reading, word: nil), for: caller.audience)
        }
        let reserve = Reserve(
            NameToReserve(display, reservation), allowingLookalike: allowsLookalike, taking: takes,
            by: write.cause.actor)
        return try await write.perform(reserve, registry, whenDone: .created, result: \.outcome) { .record($0, $1) }
    }
}
