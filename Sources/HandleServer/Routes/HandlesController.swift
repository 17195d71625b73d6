import HandleRegistry
import HandleRules
import HandleWords
import Hummingbird

/// `/v1/handles` and `/v1/owners`: reads and changes names and their owners.
struct HandlesController: Sendable {
    let registry: Registry

    func addRoutes(to routes: inout Routes) {
        routes.add(.get, "\(CallPath.handles)/{handle}", for: .anyone) { try await show($0, $1, $2) }
        routes.add(.put, "\(CallPath.handles)/{handle}", for: .holders(of: .claim)) { try await claim($0, $1, $2) }
        routes.add(.patch, "\(CallPath.handles)/{handle}", for: .holders(of: .claim)) { try await recase($0, $1, $2) }
        routes.add(.delete, "\(CallPath.handles)/{handle}", for: .holders(of: .claim)) { try await release($0, $1, $2) }
        routes.add(.post, "\(CallPath.handles)/{handle}/rename", for: .holders(of: .claim)) {
            try await rename($0, $1, $2)
        }
        routes.add(.get, "/v1/owners/{owner}/handles", for: .holders(of: .read)) { try await list($0, $1, $2) }
        routes.add(.delete, "/v1/owners/{owner}", for: .holders(of: .admin)) { try await forget($0, $1, $2) }
    }

    private func show(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let audience = caller.audience
        let record = try await registry.record(of: request.handle(context))
        guard let record, audience == .keyHolders || record.state == .claimed else { throw Problem.noSuchHandle }
        return Response(Self.answer(record, for: audience))
    }

    private func claim(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let typed = try request.typedHandle(context)
        let body = try write.json("display", "owner", "hold")
        let display = try body.optionalText("display")
        // Optional with a token: a person claims for their own owner.
        let (owner, hold) = (try body.optionalText("owner"), try body.optionalText("hold"))
        let claim = Claim(
            try spelling(of: typed, as: display), for: try write.owner(owner), hold: try hold?.checkedAsHold(),
            if: write.precondition(), write.cause)
        return try await write.perform(claim, registry, whenDone: .created) { Self.answer($0, $1) }
    }

    private func recase(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let handle = try request.handle(context)
        let display = Reading(typed: try write.json("display").text("display").checkedAsTypedHandle()).display
        guard let display, display.handle == handle else { throw Problem.displayMismatch(handle) }
        let recase = Recase(display, if: write.precondition(), write.cause)
        return try await write.perform(recase, registry) { Self.answer($0, $1) }
    }

    private func rename(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let handle = try request.handle(context)
        let body = try write.json("to", "owner")
        // Optional with a token: a person renames their own handle.
        let (to, owner) = (try body.text("to"), try body.optionalText("owner"))
        let rename = Rename(
            handle, to: try to.checkedAsTypedHandle(), for: try write.owner(owner),
            if: write.precondition(), write.cause)
        return try await write.perform(rename, registry) { Self.answer($0, $1) }
    }

    private func release(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller, parameters: ["owner"])
        let owner = try Query(request)["owner"].map { named throws(Problem) in try write.owner(named) }
        let release = Release(try request.handle(context), if: write.precondition(owner), write.cause)
        return try await write.perform(release, registry) { _, _ in .nothing }
    }

    /// Releases all names of a deleted owner and erases the owner's id.
    private func forget(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let owner = try ownerID(context).checkedAsOwner()
        return try await write.perform(registry, answer: .nothing) {
            if try await registry.forget(owner, write.cause) == nil { throw Problem.notForgotten }
        }
    }

    private func list(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let records = try await registry.records(of: caller.listedOwner(try ownerID(context)))
        return .json { json in
            json.object { json in
                json.key("handles")
                json.array { json in for record in records { json.write(record, for: .keyHolders) } }
            }
        }
    }

    /// The text to claim: the display handle if there is one, which must be the same name.
    private func spelling(of typed: String, as display: String?) throws(Problem) -> String {
        guard let display = try display?.checkedAsTypedHandle() else { return typed }
        guard let handle = Reading(typed: typed).handle else { return typed }
        guard Reading(typed: display).handle == handle else { throw .displayMismatch(handle) }
        return display
    }

    /// The owner id in the path.
    private func ownerID(_ context: ServiceContext) throws(Problem) -> String {
        try PercentEncoding.decode(context.parameters["owner"] ?? "", plusIsSpace: false, in: "the path")
    }

    private static func answer(
        _ record: Record, _ status: HTTPResponse.Status = .ok, for audience: Audience = .keyHolders
    ) -> Response.Plain {
        .json(status, headers: [.eTag: "\"\(record.version)\""]) { $0.write(record, for: audience) }
    }
}

extension Problem {
    fileprivate static let notForgotten = Problem(
        .notForgotten,
        "The owner got new names during this request, or the registry's count of their names is wrong. Send the request "
            + "again; if it is refused again, run 'handles verify'.")

    fileprivate static func displayMismatch(_ handle: Handle) -> Problem {
        Problem(
            .displayMismatch,
            "'display' may differ from \(handle) only in its capitals; to change more, rename the handle.")
    }
}
