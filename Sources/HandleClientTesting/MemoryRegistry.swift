import Foundation
import HTTPLoading
public import HandleClient
import HandleRules

/// A registry in memory, for the previews and tests of an app: the transport of a `RegistryClient` without a service.
///
/// It knows the rules of form, taken names and the one handle of a person. It does not know reserved words, look-alikes,
/// quarantine, moved names and limits: their answers are made with ``fail(with:)``. All calls of `.person` clients with the same token
/// act for one person. Its names are lost when the program ends.
public final class MemoryRegistry: Transport {
    private struct State {
        var names: [String: Name] = [:]
        /// The answers to writes by `Idempotency-Key`.
        var answers: [String: Answer] = [:]
        var failures: [HandleClientError] = []
    }

    struct Name {
        var display: DisplayHandle
        var owner: String
        var isClaimed: Bool
        var version = 1
    }

    private let state: Locked<State>
    private let suggestions: @Sendable (_ typed: String) -> [String]

    /// - Parameters:
    ///   - taken: names that another person has claimed.
    ///   - suggestions: the names to offer instead of an unavailable one; by default five with a number. Names that are
    ///     taken are left out.
    public init(
        taken: [String] = [],
        suggestions: @escaping @Sendable (_ typed: String) -> [String] = { typed in
            (1...9).map { "\(typed.prefix(13))_\($0)" }
        }
    ) {
        var state = State()
        for display in taken.compactMap({ Reading(folding: $0).display }) {
            state.names[display.handle.description] = Name(display: display, owner: "another person", isClaimed: true)
        }
        self.state = Locked(state)
        self.suggestions = suggestions
    }

    /// Makes the next calls fail, one call for each error.
    public func fail(with errors: HandleClientError...) { state.withValue { $0.failures += errors } }

    /// The claimed handles with their capitals, in alphabetical order.
    public var claimed: [String] {
        state.withValue { state in state.names.values.filter(\.isClaimed).map(\.display.description) }.sorted()
    }

    public func send(_ request: TransportRequest) async throws(HandleClientError) -> TransportAnswer {
        let failure = state.withValue { $0.failures.isEmpty ? nil : $0.failures.removeFirst() }
        if let failure { throw failure }
        let call = Call(request)
        let answer = state.withValue { state -> Answer in
            if let key = call.idempotencyKey, let answer = state.answers[key] { return answer }
            let answer = respond(to: call, &state.names)
            if let key = call.idempotencyKey { state.answers[key] = answer }
            return answer
        }
        return TransportAnswer(status: answer.status, body: answer.body)
    }

    private func respond(to call: Call, _ names: inout [String: Name]) -> Answer {
        switch (call.method, call.path.first, call.path.count) {
        case ("GET", "availability", _): .json(check(call.query["handle"] ?? "", for: call.owner, names))
        case ("POST", "availability", 1):
            .json(["results": (call.body.handles ?? []).map { check($0, for: call.owner, names) }])
        case ("POST", "holds", 1): put(call.body.handle ?? "", isClaim: false, call, &names)
        case ("PUT", "handles", 2): put(call.body.display ?? call.path[1], isClaim: true, call, &names)
        case ("POST", "handles", 3): rename(call, &names)
        case ("PATCH", "handles", 2): recase(call, &names)
        case ("DELETE", "handles", 2): release(call, &names)
        case ("GET", "handles", 2):
            names[call.handle].flatMap { $0.isClaimed || $0.owner == call.owner ? .json(Record($0)) : nil } ?? .notFound
        case ("GET", "owners", 3):
            .json([
                "handles": names.values.filter { $0.owner == call.owner }.map { Record($0) }
                    .sorted { $0.handle < $1.handle }
            ])
        default: .problem(404, "not_found", "MemoryRegistry has no such call.")
        }
    }

    private func check(_ typed: String, for owner: String, _ names: [String: Name]) -> Decision {
        let reading = Reading(folding: typed)
        var reasons = reading.reasons.map { Wire.Reason(code: $0.code.rawValue, message: $0.message) }
        if let handle = reading.handle?.description, names[handle].map({ $0.owner != owner }) ?? false {
            reasons.append(.taken)
        }
        let free =
            reasons.isEmpty
            ? []
            : suggestions(typed).filter { name in
                Reading(folding: name).handle.map { names[$0.description] == nil } ?? false
            }
        return Decision(reading, typed, reasons, Array(free.prefix(5)))
    }

    private func put(
        _ typed: String, isClaim: Bool, _ call: Call, _ names: inout [String: Name]
    ) -> Answer {
        let reasons = check(typed, for: call.owner, names).reasons
        guard reasons.isEmpty, let display = Reading(folding: typed).display else { return .refused(reasons) }
        let handle = display.handle.description
        // As at the service, a repeated claim or hold changes nothing.
        if let own = names[handle], own.isClaimed || !isClaim { return isClaim ? .json(Record(own)) : .json(Hold(own)) }
        if isClaim, let other = names.values.first(where: { $0.isClaimed && $0.owner == call.owner }),
            other.display.handle.description != call.renamed
        {
            return .refused([.ownerFull])
        }
        // A new hold ends the one before.
        if !isClaim { names = names.filter { $0.value.owner != call.owner || $0.value.isClaimed || $0.key == handle } }
        let name = Name(
            display: display, owner: call.owner, isClaimed: isClaim, version: (names[handle]?.version ?? 0) + 1)
        names[handle] = name
        return isClaim ? .json(Record(name), status: 201) : .json(Hold(name), status: 201)
    }

    private func rename(_ call: Call, _ names: inout [String: Name]) -> Answer {
        guard names[call.handle]?.owner == call.owner else { return .notFound }
        let typed = call.body.to ?? ""
        if Reading(folding: typed).handle?.description == call.handle { return recase(call, &names) }
        let answer = put(typed, isClaim: true, call, &names)
        guard answer.status == 201 else { return answer }
        names[call.handle] = nil
        return Answer(status: 200, body: answer.body)
    }

    private func release(_ call: Call, _ names: inout [String: Name]) -> Answer {
        guard names[call.handle]?.owner == call.owner else { return .notFound }
        names[call.handle] = nil
        return Answer(status: 204, body: Data())
    }

    private func recase(_ call: Call, _ names: inout [String: Name]) -> Answer {
        guard var name = names[call.handle], name.isClaimed, name.owner == call.owner else { return .notFound }
        guard let display = Reading(folding: call.body.display ?? call.body.to ?? "").display,
            display.handle == name.display.handle
        else { return .displayMismatch }
        if display != name.display { name.version += 1 }
        name.display = display
        names[call.handle] = name
        return .json(Record(name))
    }
}
