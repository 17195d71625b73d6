import HandleCore
import HandleRegistry
import HandleText
import Hummingbird

/// `/v1/handles` and `/v1/owners`: who has what.
struct HandlesController: Sendable {
    let registry: Registry
    let keys: AccessKeys

    func addRoutes<Context: RequestContext>(to routes: inout Routes<Context>) {
        routes.add(.get, "/v1/handles/{handle}") { try await show($0, $1) }
        routes.add(.put, "/v1/handles/{handle}") { try await claim($0, $1) }
        routes.add(.patch, "/v1/handles/{handle}") { try await recase($0, $1) }
        routes.add(.delete, "/v1/handles/{handle}") { try await release($0, $1) }
        routes.add(.get, "/v1/owners/{owner}/handles") { try await list($0, $1) }
    }

    private func show(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let audience = try keys.audience(of: request)
        let record = try await registry.record(of: request.handle(context))
        guard let record, audience == .keyHolders || record.state == .claimed else { throw Problem.noSuchHandle }
        return respond(record, for: audience)
    }

    private struct Claim: Decodable {
        let display: String?
        let owner: String
        let hold: String?
    }

    private func claim(_ request: Request, _ context: some RequestContext) async throws -> Response {
        try keys.require(request)
        let typed = try request.typedHandle(context)
        let body = try await request.json(Claim.self)
        let input = try spelling(of: typed, as: body.display)
        let hold = try body.hold?.checkedAsHold()
        switch try await registry.claim(input, for: body.owner.checkedAsOwner(), hold: hold) {
        case .taken(let record): return respond(record, .created)
        case .already(let record): return respond(record)
        case .refused(let decision): throw Problem.refused(decision, for: .keyHolders)
        }
    }

    private struct Recasing: Decodable {
        let display: String
    }

    private func recase(_ request: Request, _ context: some RequestContext) async throws -> Response {
        try keys.require(request)
        let handle = try request.handle(context)
        let body = try await request.json(Recasing.self)
        let display = Reading(typed: try body.display.checkedAsTypedHandle()).display
        guard let display, display.handle == handle else { throw Problem.displayMismatch(handle) }
        guard let record = try await registry.recase(display) else { throw Problem.noSuchHandle }
        return respond(record)
    }

    private func release(_ request: Request, _ context: some RequestContext) async throws -> Response {
        try keys.require(request)
        switch try await registry.release(request.handle(context)) {
        case .released, .already: return Response(status: .noContent, headers: [.cacheControl: "no-store"])
        case .notFound: throw Problem.noSuchHandle
        }
    }

    private func list(_ request: Request, _ context: some RequestContext) async throws -> Response {
        try keys.require(request)
        let owner = try PercentEncoding.decode(
            context.parameters["owner"] ?? "", plusIsSpace: false, in: "the path"
        ).checkedAsOwner()
        let records = try await registry.records(of: owner)
        return .json { json in
            json.object { json in
                json.key("handles")
                json.array { json in for record in records { json.write(record, for: .keyHolders) } }
            }
        }
    }

    /// What the claim is read from: the display handle when one is given, which must be the same name.
    private func spelling(of typed: String, as display: String?) throws(Problem) -> String {
        guard let display = try display?.checkedAsTypedHandle() else { return typed }
        guard let handle = Reading(typed: typed).handle else { return typed }
        guard Reading(typed: display).handle == handle else { throw .displayMismatch(handle) }
        return display
    }

    private func respond(
        _ record: Record, _ status: HTTPResponse.Status = .ok, for audience: Audience = .keyHolders
    ) -> Response {
        .json(status, headers: [.eTag: "\"\(record.version)\""]) { $0.write(record, for: audience) }
    }
}

extension Problem {
    fileprivate static let noSuchHandle = Problem(.notFound, "no_such_handle", "Nobody has this handle.")

    fileprivate static func displayMismatch(_ handle: Handle) -> Problem {
        Problem(
            .unprocessableContent, "display_mismatch",
            "'display' must be the same name as \(handle) but for its capitals; rename the handle to change more.")
    }
}
