import HandleRegistry
import HandleRules
import Hummingbird

/// `/v1/owners`: the names of an owner, its lock, and its deletion.
struct OwnersController: Sendable {
    let registry: Registry

    func addRoutes(to routes: inout Routes) {
        routes.add(.get, "/v1/owners/{owner}/handles", for: .holders(of: .read)) { try await list($1, $2) }
        routes.add(.delete, "/v1/owners/{owner}", for: .holders(of: .admin)) { try await forget($0, $1, $2) }
        routes.add(.get, "/v1/owners/{owner}/lock", for: .holders(of: .moderate)) { _, context, _ in
            try await showLock(context)
        }
        routes.add(.put, "/v1/owners/{owner}/lock", for: .holders(of: .moderate)) { try await lock($0, $1, $2) }
        routes.add(.delete, "/v1/owners/{owner}/lock", for: .holders(of: .moderate)) { try await unlock($0, $1, $2) }
    }

    private func list(_ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let records = try await registry.records(of: caller.listedOwner(try ownerID(context)))
        return .json { json in
            json.object { json in
                json.key("handles")
                json.array { json in for record in records { json.write(record, for: .keyHolders) } }
            }
        }
    }

    /// Releases all names of a deleted owner and erases the owner's id.
    private func forget(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let owner = try ownerID(context).checkedAsOwner()
        return try await write.perform(registry) {
            if try await registry.forget(owner, write.cause) == nil { throw Problem.notForgotten }
            return .nothing
        }
    }

    private func showLock(_ context: ServiceContext) async throws -> Response {
        let owner = try ownerID(context).checkedAsOwner()
        guard let lock = try await registry.lock(of: owner) else {
            return .json { json in
                json.object { json in
                    json.member("owner", owner.id)
                    json.key("locked")
                    json.boolean(false)
                }
            }
        }
        return .json { $0.write(lock: lock, of: owner) }
    }

    private func lock(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let owner = try ownerID(context).checkedAsOwner()
        let body = try write.json("reason", "until")
        let (reason, end) = (try body.reason(), try body.optionalEnd("until"))
        return try await write.perform(registry) {
            let (lock, isNew) = try await registry.lock(owner, until: end, write.cause(reason))
            return .json(isNew ? .created : .ok) { $0.write(lock: lock, of: owner) }
        }
    }

    /// Ends the lock. Repeating it succeeds.
    private func unlock(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let owner = try ownerID(context).checkedAsOwner()
        return try await write.perform(registry) {
            _ = try await registry.unlock(owner, write.cause)
            return .nothing
        }
    }

    /// The owner id in the path.
    private func ownerID(_ context: ServiceContext) throws(Problem) -> String {
        try PercentEncoding.decode(context.parameters["owner"] ?? "", plusIsSpace: false, in: "the path")
    }
}

extension Problem {
    fileprivate static let notForgotten = Problem(
        .notForgotten,
        "The owner got new names during this request, or the registry's count of their names is wrong. Send the request "
            + "again; if it is refused again, run 'handles verify'.")
}
