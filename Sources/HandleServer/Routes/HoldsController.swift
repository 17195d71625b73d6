import HandleRegistry
import Hummingbird

import struct FoundationEssentials.Date

/// `/v1/holds`: holds a name during onboarding.
struct HoldsController: Sendable {
    let registry: Registry

    func addRoutes<Context: CallerContext>(to routes: inout Routes<Context>) {
        routes.add(.post, "/v1/holds", for: .holders(of: .claim)) { try await hold($0, $2) }
    }

    private struct Hold: JSONBody {
        enum CodingKeys: CodingKey, CaseIterable { case handle, owner, ttl_seconds }

        let handle: String
        /// Optional with a token: a person holds for their own owner.
        let owner: String?
        let ttl_seconds: Int?
    }

    private func hold(_ request: Request, _ caller: Caller) async throws -> Response {
        let write = try await Write(request, of: caller)
        let body = try write.json(Hold.self)
        let duration = body.ttl_seconds.map { Duration.seconds($0) }
        guard duration.map(Policy.holdRange.contains) ?? true else {
            throw Problem(
                .invalidField,
                "'ttl_seconds' must be from \(Policy.holdRange.lowerBound.components.seconds) to "
                    + "\(Policy.holdRange.upperBound.components.seconds).")
        }
        let hold = HandleRegistry.Hold(
            try body.handle.checkedAsTypedHandle(), for: try write.owner(body.owner), lasting: duration, write.cause
        )
        return try await write.perform(hold, registry) { outcome throws(Problem) in
            switch outcome {
            case .held(let record): return .json(.created) { $0.write(hold: record) }
            case .already(let record): return .json(.ok) { $0.write(hold: record) }
            case .refused(let decision): throw Problem.refused(decision, for: write.caller.audience)
            case .paused(let end): throw Problem.holdPaused(until: end)
            }
        }
    }
}

extension Problem {
    fileprivate static func holdPaused(until end: Date) -> Problem {
        var problem = Problem(
            .holdPaused,
            "The owner's hold of this handle ended recently. The owner can hold it again from \(end.rfc3339), or claim it "
                + "now.")
        problem.headers[.retryAfter] = String(max(1, Int(end.timeIntervalSinceNow.rounded(.up))))
        return problem
    }
}
