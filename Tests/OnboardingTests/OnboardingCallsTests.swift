import Foundation
import HandleClient
import HandleRules
import Onboarding
import TestService
import Testing

/// Onboarding on a server, which makes a machine for each request and acts for people with an access key.
@Suite(.timeLimit(.minutes(10))) struct OnboardingCallsTests {
    /// As docs/onboarding.md shows it.
    private func run(
        _ machine: inout OnboardingMachine, _ event: OnboardingMachine.Event, _ calls: OnboardingCalls
    ) async {
        var effects = machine.receive(event)[...]
        while let effect = effects.popFirst() {
            if let event = await calls.event(for: effect) { effects += machine.receive(event) }
        }
    }

    @Test func serverLeadsAPersonToAProfile() async throws {
        try await Place.run { place in
            let registry = place.admin
            let profiles = Profiles()
            let calls = OnboardingCalls(client: registry, owner: .id("jane"), profiles: profiles.store)
            var machine = OnboardingMachine(userID: "jane")
            await run(&machine, .started, calls)
            await run(&machine, .field(.typed("JaneRoe")), calls)
            guard case .available = machine.state else { throw Unexpected(state: machine.state) }
            await run(&machine, .continued, calls)
            _ = machine.receive(.typedDisplayName("Jane Roe"))
            // Another request, with a new machine.
            var next = OnboardingMachine(userID: "jane")
            await run(&next, .started, calls)
            #expect(next.display?.description == "JaneRoe")
            _ = next.receive(.typedDisplayName("Jane Roe"))
            await run(&next, .submitted(idempotencyKey: "one"), calls)
            let profile = UserProfile(
                userId: "jane", handle: "janeroe", displayHandle: "JaneRoe", displayName: "Jane Roe")
            #expect(next.state == .done(profile))
            #expect(profiles.all == ["jane": profile])
            #expect(try await registry.record(of: "janeroe")?.owner == "jane")
        }
    }

    @Test func refusedNameHasItsReasonAndSuggestions() async throws {
        try await Place.run { place in
            let registry = place.admin
            _ = try await registry.claim("janeroe", for: .id("somebody"))
            let calls = OnboardingCalls(client: registry, owner: .id("jane"), profiles: Profiles().store)
            var machine = OnboardingMachine(userID: "jane")
            await run(&machine, .started, calls)
            _ = machine.receive(.field(.typed("JaneRoe")))
            await run(&machine, .continued, calls)
            guard case .unavailable(let reasons, let suggestions) = machine.state else {
                throw Unexpected(state: machine.state)
            }
            #expect(reasons.map(\.code) == [.taken])
            #expect(suggestions.count == 5)
        }
    }

    @Test func nameThatCannotBeHeldAgainYetCountsAsHeld() async throws {
        try await Place.run { place in
            let registry = place.admin
            _ = try await registry.hold("janeroe", for: .id("jane"))
            try await registry.release("janeroe")
            let problem = await #expect(throws: HandleClientError.self) {
                _ = try await registry.hold("janeroe", for: .id("jane"))
            }
            #expect(problem?.problem?.code == .holdPaused)
            let calls = OnboardingCalls(client: registry, owner: .id("jane"), profiles: Profiles().store)
            let display = try #require(DisplayHandle("janeroe"))
            #expect(await calls.event(for: .hold(display)) == .held(display))
        }
    }

    /// A hold blocks the look-alikes of its name, and a claim does not.
    @Test func lookalikeOfAHoldThatBecomesAClaimCountsAsHeld() async throws {
        try await Place.run { place in
            let registry = place.admin
            let display = try #require(DisplayHandle("megadamqb"))
            _ = try await registry.hold("megadamgb", for: .id("somebody"))
            let calls = OnboardingCalls(client: registry, owner: .id("jane"), profiles: Profiles().store)
            guard case .holdFailed(_, .refused(let reasons)) = await calls.event(for: .hold(display)) else {
                throw Unexpected(state: nil)
            }
            #expect(reasons.map(\.code) == [.lookalike])
            // The claim comes right after the refusal.
            let network = ScriptedTransport { _, request throws(HandleClientError) in
                let answer = try await URLSessionTransport.patient.send(request)
                if request.url.path.hasSuffix("/holds") {
                    _ = try? await registry.claim("megadamgb", for: .id("somebody"))
                }
                return answer
            }
            let late = OnboardingCalls(
                client: RegistryClient(base: place.base, credential: .key(Place.key), transport: network),
                owner: .id("jane"), profiles: Profiles().store)
            #expect(await late.event(for: .hold(display)) == .held(display))
        }
    }

    private struct Unexpected: Error {
        let state: OnboardingMachine.State?
    }
}
