import HandleRegistry
import Hummingbird

/// `/v1/holds`: keep a name for somebody during onboarding.
struct HoldsController: Sendable {
    let registry: Registry
    let keys: AccessKeys

    func addRoutes<Context: RequestContext>(to routes: inout Routes<Context>) {
        routes.add(.post, "/v1/holds") { request, _ in try await hold(request) }
    }

    private struct Hold: Decodable {
        let handle: String
        let owner: String
        let ttl_seconds: Int?
    }

    private func hold(_ request: Request) async throws -> Response {
        try keys.require(request)
        let body = try await request.json(Hold.self)
        let duration = body.ttl_seconds.map { Duration.seconds($0) }
        guard duration.map(Policy.holdRange.contains) ?? true else {
            throw Problem.badRequest(
                "invalid_field",
                "'ttl_seconds' is from \(Policy.holdRange.lowerBound.components.seconds) to "
                    + "\(Policy.holdRange.upperBound.components.seconds).")
        }
        switch try await registry.hold(
            body.handle.checkedAsTypedHandle(), for: body.owner.checkedAsOwner(), duration: duration)
        {
        case .taken(let record): return .json(.created) { $0.write(hold: record) }
        case .already(let record): return .json(.ok) { $0.write(hold: record) }
        case .refused(let decision): throw Problem.refused(decision, for: .keyHolders)
        }
    }
}
