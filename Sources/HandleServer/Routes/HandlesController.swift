import HandleRegistry
import HandleRules
import HandleWords
import Hummingbird

/// `/v1/handles`: reads and changes names.
struct HandlesController: Sendable {
    let registry: Registry

    func addRoutes(to routes: inout Routes) {
        routes.add(.get, "\(CallPath.handles)/{handle}", for: .anyone) { try await show($0, $1, $2) }
        routes.add(.put, "\(CallPath.handles)/{handle}", for: .holders(of: .claim)) { try await claim($0, $1, $2) }
        routes.add(.patch, "\(CallPath.handles)/{handle}", for: .holders(of: .claim)) { try await change($0, $1, $2) }
        routes.add(.delete, "\(CallPath.handles)/{handle}", for: .holders(of: .claim)) { try await release($0, $1, $2) }
        routes.add(.post, "\(CallPath.handles)/{handle}/rename", for: .holders(of: .claim)) {
            try await rename($0, $1, $2)
        }
        routes.add(.post, "\(CallPath.handles)/{handle}/offer", for: .holders(of: .claim)) {
            try await offer($0, $1, $2)
        }
        routes.add(.post, "\(CallPath.handles)/{handle}/assign", for: .holders(of: .moderate)) {
            try await assign($0, $1, $2)
        }
    }

    private func show(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let audience = caller.audience
        let handle = try request.handle(context)
        let record = try await registry.record(of: handle)
        if let record, record.isForwarded,
            case .moved(let old, let target)? = try await registry.resolve([handle]).first
        {
            return Response(.moved(old, to: target, for: audience))
        }
        guard let record, audience == .keyHolders || record.state == .claimed else { throw Problem.noSuchHandle }
        return Response(.record(record, for: audience))
    }

    private func claim(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let typed = try request.typedHandle(context)
        let body = try write.json("display", "owner", "hold")
        let display = try body.optionalText("display")
        // Optional with a token: a person claims for their own owner.
        let (owner, hold) = (try body.optionalText("owner"), try body.optionalText("hold"))
        let claim = Claim(
            try typed.spelled(as: display), for: try write.owner(owner), hold: try hold?.checkedAsHold(),
            if: write.precondition(), write.cause)
        return try await write.perform(claim, registry, whenDone: .created) { .record($0, $1) }
    }

    /// Changes the capitals, or ends the way from an old handle to the present one.
    private func change(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let handle = try request.handle(context)
        let body = try write.json("display", "forward")
        if body.has("forward") {
            guard !body.has("display") else { throw Problem.twoChanges }
            guard try !body.boolean("forward") else { throw Problem.lateForward }
            let end = EndForward(handle, if: write.precondition(), write.cause)
            return try await write.perform(end, registry) { .record($0, $1) }
        }
        let display = Reading(typed: try body.text("display").checkedAsTypedHandle()).display
        guard let display, display.handle == handle else { throw Problem.displayMismatch(handle) }
        let recase = Recase(display, if: write.precondition(), write.cause)
        return try await write.perform(recase, registry) { .record($0, $1) }
    }

    private func rename(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let handle = try request.handle(context)
        let body = try write.json("to", "owner", "take", "reason", "forward")
        // Optional with a token: a person renames their own handle.
        let (to, owner) = (try body.text("to"), try body.optionalText("owner"))
        let (takes, isForwarded) = (try body.flag("take"), try body.flag("forward"))
        if takes, isForwarded { throw Problem.takenForward }
        let reason = takes ? try body.reason() : try body.optionalReason()
        if reason != nil { try caller.check(.moderate) }
        let rename = Rename(
            handle, to: try to.checkedAsTypedHandle(), for: try write.owner(owner),
            takingBecause: takes ? reason : nil, forwarding: isForwarded, if: write.precondition(), write.cause(reason))
        return try await write.perform(rename, registry) { .record($0, $1) }
    }

    private func release(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller, parameters: ["owner", "quarantine"])
        let query = try Query(request)
        let owner = try query["owner"].map { named throws(Problem) in try write.owner(named) }
        let isFinal = try query.flag("quarantine") == false
        if isFinal { try caller.check(.moderate) }
        let release = Release(
            try request.handle(context), atOnce: isFinal, if: write.precondition(owner), write.cause)
        return try await write.perform(release, registry) { _, _ in .nothing }
    }

    private func offer(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let handle = try request.handle(context)
        let body = try write.json("owner", "ttl_seconds")
        // Optional with a token: a person offers their own handle.
        let owner = try body.optionalText("owner")
        let duration = try body.optionalSeconds("ttl_seconds", in: Policy.offerRange)
        let offer = Offer(
            handle, by: try write.owner(owner), lasting: duration, if: write.precondition(), write.cause)
        return try await write.perform(offer, registry, whenDone: .created) { record, status in
            .json(status) { $0.write(hold: record) }
        }
    }

    private func assign(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, context, of: caller)
        let typed = try request.typedHandle(context)
        let body = try write.json("to", "from", "reason", "allow_lookalike")
        let from = try body.optionalText("from").map { id throws(Problem) in try id.checkedAsOwner("from") }
        let assign = Assign(
            typed, to: try body.text("to").checkedAsOwner("to"),
            allowingLookalike: try body.flag("allow_lookalike"), if: write.precondition(from),
            write.cause(try body.reason()))
        return try await write.perform(assign, registry) { .record($0, $1) }
    }
}

extension Problem {
    fileprivate static let takenForward = Problem(
        .invalidField,
        "'forward' must be false or left out with 'take': a name that is taken from its owner becomes reserved, and can't "
            + "lead to another one.")

    fileprivate static let twoChanges = Problem(
        .invalidField, "Send either 'display' or 'forward', and the other one in a second request.")

    fileprivate static let lateForward = Problem(
        .invalidField,
        "'forward' can only be false here. Only a rename with 'forward' can make an old name lead to the new one.")
}
