import HandleRegistry
import Hummingbird

/// `/v1/availability`: checks whether names are available.
struct AvailabilityController: Sendable {
    let registry: Registry
    let longestBatch: Int

    func addRoutes(to routes: inout Routes) {
        routes.add(.get, RouterPath(CallPath.availability), for: .anyone) { try await check($0, $2) }
        routes.add(.post, RouterPath(CallPath.availability), for: .anyone) { try await checkMany($0, $1, $2) }
    }

    /// One name, with suggestions when it is not available.
    private func check(_ request: Request, _ caller: Caller) async throws -> Response {
        let question = try AvailabilityQuestion(Query(request), of: caller)
        return Response(question.response(to: try await question.ask(registry)))
    }

    /// Maximum number of reasons in a batch response: 20 for each name, more than a handle has characters, plus 1,000,
    /// so that a few names may have any number of invalid characters.
    private static let (reasonsPerName, reasonsBesides) = (20, 1000)

    /// Many names, without suggestions.
    private func checkMany(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let handles = try await JSONBody(request.body.collect(upTo: .max), ["handles"], in: context).texts("handles")
        guard handles.count <= longestBatch else {
            throw Problem.tooManyHandles("handles", handles.count, limit: longestBatch)
        }
        for handle in handles { _ = try handle.checkedAsTypedHandle() }
        // The call itself has been counted as one name.
        let quota = handles.count > 1 ? try context.quota?.take(handles.count - 1, before: 1) : nil
        let (decisions, asOf) = try await registry.datedDecisions(about: handles, for: caller.askingOwner())
        // Each invalid character gives a reason, and a reason is about a hundred times as long as a character.
        guard
            decisions.reduce(0, { $0 + $1.reasons(for: caller.audience).count })
                <= Self.reasonsPerName * decisions.count + Self.reasonsBesides
        else {
            throw Problem(
                .tooManyHandles,
                "There are more than \(Self.reasonsPerName) reasons to refuse each of these names, on average; send fewer "
                    + "names in one request.")
        }
        return .json(headers: (quota ?? [:]) + .age(asOf: asOf)) { json in
            json.object { json in
                json.key("results")
                json.array { json in
                    for (input, decision) in zip(handles, decisions) {
                        json.write(decision, about: input, suggestions: nil, for: caller.audience)
                    }
                }
            }
        }
    }
}

extension Problem {
    static func tooManyHandles(_ field: String, _ count: Int, limit: Int) -> Problem {
        Problem(.tooManyHandles, "'\(field)' has \(count) names; send at most \(limit) in one request.")
    }
}
