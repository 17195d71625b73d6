import Foundation
import HandleRegistry
import HandleRules
import NIOConcurrencyHelpers
import TestService
import TestSupport
import Testing

/// Callers without a key can't tell reserved, held and quarantined names apart.
@Suite struct HiddenStateTests {
    private enum Hidden: String, CaseIterable {
        case reserved, held, quarantined

        func make(_ name: String, in registry: Registry) async throws {
            let one = try #require(Owner("one"))
            switch self {
            case .reserved: _ = try await registry.reserve(name, Reservation(reason: "launch", owner: one))
            case .held: _ = try await registry.hold(name, for: one)
            case .quarantined:
                _ = try await registry.claim(name, for: one)
                try await registry.release(#require(Handle(name)))
            }
        }
    }

    /// The answers of every route about a name and its look-alikes, without suggestions, which are random.
    private func answers(_ client: HTTPClient) async throws -> [String] {
        var answers: [String] = []
        func note(_ answer: HTTPAnswer) {
            answers.append("\(answer.status) \(answer.headers["etag"] ?? "") \(answer.body)")
        }
        for name in ["acme", "AcMe", "4cme", "acrne", "a_c_m_e"] {
            note(try await client.send("GET", "/v1/availability?handle=\(name)&suggestions=0"))
            note(try await client.send("GET", "/v1/handles/\(name)"))
            note(try await client.send("HEAD", "/v1/handles/\(name)"))
            note(try await client.send("POST", "/v1/availability", #"{"handles":["\#(name)","zebra_one"]}"#))
            note(try await client.send("GET", "/v1/availability?handle=\(name)&owner=one&suggestions=0"))
            let event = try await client.events("/v1/availability/watch?handle=\(name)", field: "code")
            for await code in event {
                answers.append(code)
                break
            }
        }
        return answers
    }

    @Test(.timeLimit(.minutes(5))) func answersAreTheSameForReservedHeldAndQuarantinedNames() async throws {
        let found = NIOLockedValueBox<[String: [String]]>([:])
        for state in Hidden.allCases {
            let registry = try await freshRegistry()
            try await state.make("acme", in: registry)
            try await withServer(registry) { _, anonymous in
                let answers = try await answers(anonymous)
                found.withLockedValue { $0[state.rawValue] = answers }
                let taken = try await anonymous.send("GET", "/v1/availability?handle=acme&suggestions=20")
                let suggested = (taken.json["suggestions"] as? [[String: Any]])?.compactMap { $0["handle"] as? String }
                let lookalikes: Set = ["4cme", "acrne", "a_cme", "acm3", "acme_", "ac_me", "acm_e"]
                #expect(lookalikes.isDisjoint(with: suggested ?? []), "\(state)")
            }
        }
        let all = found.withLockedValue(\.self)
        #expect(all.count == 3 && all["reserved"]?.count == 30)
        #expect(all["held"] == all["reserved"] && all["quarantined"] == all["reserved"])
    }

    /// Two look-alikes in use, each of them in any hidden state. Only a reservation is made in spite of the other name.
    @Test(.timeLimit(.minutes(5)), arguments: Hidden.allCases)
    private func answersAboutTwoLookalikesInUseAreTheSame(_ state: Hidden) async throws {
        let registry = try await freshRegistry()
        try await Hidden.reserved.make("acme", in: registry)
        try await Hidden.reserved.make("acrne", in: registry)
        let expected = NIOLockedValueBox<[String]>([])
        try await withServer(registry) { _, anonymous in
            let answers = try await answers(anonymous)
            expected.withLockedValue { $0 = answers }
        }
        for isReservedFirst in [true, false] {
            let registry = try await freshRegistry()
            try await isReservedFirst ? Hidden.reserved.make("acme", in: registry) : state.make("acrne", in: registry)
            try await isReservedFirst ? state.make("acrne", in: registry) : Hidden.reserved.make("acme", in: registry)
            try await withServer(registry) { _, anonymous in
                let answers = try await answers(anonymous)
                #expect(answers == expected.withLockedValue(\.self))
            }
        }
    }

    /// A person learns the same from claims, holds and renames, which are refused.
    @Test(.timeLimit(.minutes(5))) func writesOfOtherPeopleAreRefusedAlikeInEveryHiddenState() async throws {
        let found = NIOLockedValueBox<[Hidden: [String]]>([:])
        for state in Hidden.allCases {
            let registry = try await freshRegistry()
            try await state.make("acrne", in: registry)
            try await Hidden.reserved.make("acme", in: registry)
            try await withServer(registry, tokens: UnsignedToken.verifier()) { _, anonymous in
                let person = HTTPClient(port: anonymous.port, key: UnsignedToken.make(for: "jane"))
                #expect(try await person.send("PUT", "/v1/handles/zebra_one", "{}").status == 201)
                for name in ["acme", "acrne", "4cme"] {
                    for (method, path, body) in [
                        ("PUT", "/v1/handles/\(name)", "{}"), ("POST", "/v1/holds", #"{"handle":"\#(name)"}"#),
                        ("POST", "/v1/handles/zebra_one/rename", #"{"to":"\#(name)"}"#),
                        ("PATCH", "/v1/handles/\(name)", #"{"display":"\#(name)"}"#),
                        ("DELETE", "/v1/handles/\(name)", ""),
                        ("GET", "/v1/availability?handle=\(name)&suggestions=0", ""),
                        ("POST", "/v1/availability", #"{"handles":["\#(name)"]}"#),
                    ] {
                        for tag in [nil, "\"1\""] {
                            let headers = tag.map { ["If-Match": $0] } ?? [:]
                            let answer = try await person.send(
                                method, path, body.isEmpty ? nil : body, headers: headers)
                            found.withLockedValue {
                                $0[state, default: []].append("\(method) \(path): \(answer.status) \(answer.body)")
                            }
                        }
                    }
                }
            }
        }
        let all = found.withLockedValue(\.self)
        #expect(all[.held] == all[.reserved] && all[.quarantined] == all[.reserved])
        #expect(all[.reserved]?.contains { $0.contains("409") && $0.contains("taken") } == true)
    }
}
