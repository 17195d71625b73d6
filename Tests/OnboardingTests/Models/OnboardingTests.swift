import Foundation
import HandleClient
import HandleRegistry
import HandleRules
import NIOConcurrencyHelpers
import Onboarding
import Sessions
import TestService
import TestSupport
import Testing

/// The observable models against a real service, over a network that fails.
@MainActor @Suite(.timeLimit(.minutes(10))) struct OnboardingTests {
    @Test func onboardingLeadsFromATypedNameToAProfile() async throws {
        try await Place.run { place in
            let profiles = Profiles()
            var finished: [UserProfile] = []
            let onboarding = place.onboarding(profiles: profiles.store) { finished.append($0) }
            onboarding.start()
            #expect(onboarding.step == .handle && !onboarding.canGoBack && onboarding.preview == nil)
            onboarding.next()
            #expect(onboarding.step == .handle && onboarding.state == .empty)
            try await eventually("the person's names are known") { !onboarding.machine.isResuming }
            onboarding.field.text = "JaneRoe"
            try await eventually("it is available") { onboarding.field.isValid }
            onboarding.next()
            #expect(onboarding.isWaiting && onboarding.message == "One moment…")
            try await eventually("it is held") { onboarding.step == .displayName }
            #expect(onboarding.preview == "@JaneRoe" && onboarding.canGoBack && onboarding.displayNameMessage == nil)
            #expect(try await place.admin.record(of: "janeroe")?.state == .held)
            onboarding.next()
            #expect(onboarding.displayNameMessage == "Type your name." && !onboarding.isWaiting)
            onboarding.displayName = " Jane Roe"
            #expect(onboarding.displayNameMessage == nil)
            onboarding.next()
            #expect(!onboarding.canGoBack)
            try await eventually("it is done") { onboarding.isDone }
            let profile = UserProfile(
                userId: "jane", handle: "janeroe", displayHandle: "JaneRoe", displayName: "Jane Roe")
            #expect(onboarding.state == .done(profile) && onboarding.message == "You are @JaneRoe.")
            #expect(finished == [profile] && profiles.all == ["jane": profile])
            let record = try await place.admin.record(of: "janeroe")
            #expect(record?.owner == UnsignedToken.owner("jane") && record?.display.description == "JaneRoe")
        }
    }

    /// `HANDLES_TEST_LOST_ANSWERS` sets the number of claims, such as 1000; 20 by default.
    @Test func claimWithLostAnswersTakesEffectOnce() async throws {
        let count = ProcessInfo.processInfo.environment["HANDLES_TEST_LOST_ANSWERS"].flatMap { Int($0) } ?? 20
        // Without a limit of names an owner, so that a second claim would succeed.
        try await Place.run(policy: .unlimited) { place in
            var lost = 0
            for number in 0..<count {
                var random = SeededGenerator(seed: UInt64(number))
                var fates: [Fate] = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    [.answerLost, .unsent, .answerReplaced(by: .problem(503, "database_unavailable"))][
                        Int.random(in: 0..<3, using: &random)]
                }
                // At least one claim takes effect and its answer is lost.
                fates.append(.answerLost)
                let left = NIOLockedValueBox(fates)
                let transport = ScriptedTransport.faulty { _, request in
                    request.isClaim ? left.withLockedValue { $0.isEmpty ? .passes : $0.removeFirst() } : .passes
                }
                let person = "person\(number)"
                let onboarding = place.onboarding(of: person, client: place.client(of: person, over: transport))
                try await onboarding.hold("maple_\(number)")
                onboarding.submit()
                try await eventually("it is done") { onboarding.isDone }
                lost += fates.count
                let claims = transport.seen.filter(\.isClaim)
                #expect(claims.count == fates.count + 1)
                #expect(Set(claims.map { $0.fields.first { $0.name == "Idempotency-Key" }?.value }).count == 1)
                let owned = try await place.admin.handles(of: .id(UnsignedToken.owner(person)))
                // Version 2: one hold and one claim.
                #expect(owned.map(\.handle.description) == ["maple_\(number)"] && owned.map(\.version) == [2])
            }
            #expect(lost >= count)
        }
    }

    /// The first save fails and its retry is slow. Meanwhile the person types another name.
    @Test func oldProfileIsNotStoredAfterANewOne() async throws {
        try await Place.run { place in
            let stored = NIOLockedValueBox<[String]>([])
            let saves = NIOLockedValueBox(0)
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let store = ProfileStore { _ in
                nil
            } save: { profile in
                let number = saves.withLockedValue { count in
                    count += 1
                    return count
                }
                if number == 1 { throw Profiles.Full() }
                // A store that ignores the cancellation of its task.
                if number == 2 { await Task { for await _ in gate {} }.value }
                stored.withLockedValue { $0.append(profile.displayName) }
            }
            let onboarding = place.onboarding(profiles: store)
            try await onboarding.hold("JaneRoe")
            onboarding.submit()
            try await eventually("the save is repeated") { saves.withLockedValue { $0 == 2 } }
            onboarding.submit("Jane")
            #expect(onboarding.isWaiting)
            open.finish()
            try await eventually("it is done") { onboarding.isDone }
            #expect(stored.withLockedValue(\.self) == ["Jane Roe", "Jane"])
        }
    }

    @Test func nameClaimedByAnotherLeadsBackWithTheInputKept() async throws {
        try await Place.run { place in
            let profiles = Profiles()
            let onboarding = place.onboarding(profiles: profiles.store)
            try await onboarding.hold("JaneRoe")
            // The hold ends, and another owner claims the name.
            try await place.admin.release("janeroe")
            _ = try await place.admin.claim("janeroe", for: .id("john"))
            onboarding.submit()
            try await eventually("the first step is back, with suggestions") {
                onboarding.step == .handle && !onboarding.field.suggestions.isEmpty
            }
            #expect(onboarding.field.text == "JaneRoe" && onboarding.displayName == "Jane Roe")
            #expect(onboarding.field.message == "This name is taken." && !onboarding.isWaiting)
            onboarding.field.choose(onboarding.field.suggestions[0])
            let chosen = onboarding.field.text
            onboarding.next()
            try await eventually("the next one is held") { onboarding.step == .displayName }
            onboarding.next()
            try await eventually("it is done") { onboarding.isDone }
            #expect(profiles.all["jane"]?.displayHandle == chosen && profiles.all["jane"]?.displayName == "Jane Roe")
        }
    }

    @Test func lapsedHoldDoesNotPreventTheClaim() async throws {
        try await Place.run { place in
            let onboarding = place.onboarding()
            try await onboarding.hold("JaneRoe")
            try await place.admin.release("janeroe")
            onboarding.submit()
            try await eventually("it is done") { onboarding.isDone }
        }
    }

    /// A reserved name can't be held, but the owner of the reservation may claim it.
    @Test func nameReservedForThePersonCanBeClaimed() async throws {
        try await Place.run { place in
            let owner = try #require(Owner(UnsignedToken.owner("jane")))
            _ = try await place.registry.reserve("JaneRoe", Reservation(reason: "her own", owner: owner))
            let onboarding = place.onboarding()
            try await onboarding.hold("JaneRoe")
            onboarding.submit()
            try await eventually("it is done") { onboarding.isDone }
            #expect(try await place.admin.record(of: "janeroe")?.state == .claimed)
        }
    }

    @Test func onboardingResumesAfterARestart() async throws {
        try await Place.run { place in
            let profiles = Profiles(failures: .max)
            @MainActor func launch() -> OnboardingModel {
                let onboarding = place.onboarding(profiles: profiles.store)
                onboarding.start()
                return onboarding
            }
            var onboarding = launch()
            try await onboarding.hold("JaneRoe")

            onboarding = launch()
            try await eventually("the hold is found") { onboarding.preview == "@JaneRoe" }
            #expect(onboarding.canGoBack)
            onboarding.back()
            #expect(onboarding.step == .handle && onboarding.field.text == "JaneRoe")
            try await eventually("it is checked again") { onboarding.field.isValid }
            onboarding.next()
            try await eventually("it is held") { onboarding.preview == "@JaneRoe" }
            onboarding.submit()
            try await eventually("it is claimed, and can't be stored") {
                if case .claimed = onboarding.state { profiles.saves > 2 } else { false }
            }

            profiles.recover()
            onboarding = launch()
            try await eventually("the claim is found") {
                if case .claimed = onboarding.state { true } else { false }
            }
            #expect(!onboarding.canGoBack && onboarding.preview == "@JaneRoe")
            onboarding.submit("Jane")
            try await eventually("it is done") { onboarding.isDone }
            #expect(profiles.all["jane"]?.displayName == "Jane")
        }
    }

    @Test func onboardingFindsTheHandleThatThePersonHasAlready() async throws {
        try await Place.run { place in
            let gate = NIOLockedValueBox(false)
            // The names of the person can't be listed at first.
            let transport = ScriptedTransport.faulty { _, request in
                request.url.path.hasSuffix("/handles") && !gate.withLockedValue(\.self)
                    ? .answer(.problem(403, "missing_scope")) : .passes
            }
            _ = try await place.client(of: "jane").claim("OldName")
            let onboarding = place.onboarding(client: place.client(of: "jane", over: transport))
            onboarding.start()
            try await eventually("the list fails") { onboarding.message != nil }
            gate.withLockedValue { $0 = true }
            onboarding.field.text = "JaneRoe"
            onboarding.next()
            try await eventually("the old name is found") { onboarding.preview == "@OldName" }
            #expect(!onboarding.canGoBack)
        }
    }

    @Test func inputIsKeptWhenTheSessionEnds() async throws {
        try await Place.run { place in
            let isSignedIn = NIOLockedValueBox(true)
            let client = place.client(of: "jane") { _ in
                guard isSignedIn.withLockedValue(\.self) else { throw SessionError.signedOut }
                return UnsignedToken.make(for: "jane")
            }
            let onboarding = place.onboarding(client: client)
            try await onboarding.hold("JaneRoe")
            try await eventually("the person's names are known") { !onboarding.machine.isResuming }
            isSignedIn.withLockedValue { $0 = false }
            onboarding.submit()
            try await eventually("it is said") {
                onboarding.message == "Your session has ended. Sign in again; nothing you typed is lost."
            }
            #expect(onboarding.step == .displayName && onboarding.displayName == "Jane Roe")
            isSignedIn.withLockedValue { $0 = true }
            onboarding.start()
            try await eventually("it is done") { onboarding.isDone }
        }
    }

    @Test func onboardingContinuesAfterBeingOffline() async throws {
        try await Place.run { place in
            let isOnline = NIOLockedValueBox(false)
            let transport = ScriptedTransport.faulty { _, _ in isOnline.withLockedValue(\.self) ? .passes : .unsent }
            let onboarding = place.onboarding(client: place.client(of: "jane", over: transport))
            onboarding.start()
            onboarding.field.text = "JaneRoe"
            onboarding.next()
            try await eventually("the hold fails") { onboarding.message?.contains("can't reach") == true }
            #expect(onboarding.step == .handle && !onboarding.field.isValid)
            try await eventually("the check fails") { onboarding.state == .unknown }
            isOnline.withLockedValue { $0 = true }
            try await eventually("the check comes back by itself") { onboarding.field.isValid }
            onboarding.next()
            try await eventually("it is held") { onboarding.step == .displayName }
            isOnline.withLockedValue { $0 = false }
            onboarding.submit()
            try await eventually("the claim is repeated") {
                onboarding.message == "We can't reach the service just now. We try again by ourselves."
            }
            isOnline.withLockedValue { $0 = true }
            try await eventually("it is done, by itself") { onboarding.isDone }
        }
    }
}
