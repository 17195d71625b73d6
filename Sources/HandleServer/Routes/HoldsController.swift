import HandleRegistry
import Hummingbird

/// `/v1/holds`: holds a name during onboarding.
struct HoldsController: Sendable {
    let registry: Registry

    func addRoutes(to routes: inout Routes) {
        routes.add(.post, RouterPath(CallPath.holds), for: .holders(of: .claim)) { try await hold($0, $1, $2) }
    }

    private func hold(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let body = try write.json("handle", "owner", "ttl_seconds")
        // Optional with a token: a person holds for their own owner.
        let (handle, owner) = (try body.text("handle"), try body.optionalText("owner"))
        let duration = try body.optionalSeconds("ttl_seconds", in: Policy.holdRange)
        let hold = Hold(
            try handle.checkedAsTypedHandle(), for: try write.owner(owner), lasting: duration, write.cause)
        return try await write.perform(hold, registry, whenDone: .created) { record, status in
            .json(status) { $0.write(hold: record) }
        }
    }
}
