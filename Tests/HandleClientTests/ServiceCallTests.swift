import Foundation
import HandleRules
import TestService
import TestSupport
import Testing

@testable import HandleClient

/// Tests every call of the client against the real program.
@Suite(.timeLimit(.minutes(10))) struct ServiceCallTests {
    /// The client makes exactly the calls that the contract has under /v1.
    @Test func clientMakesEveryCallOfTheContract() async throws {
        try await withService { keyed, _, base in
            let real = URLSessionTransport.patient
            let recorder = ScriptedTransport { _, request throws(HandleClientError) in try await real.send(request) }
            let client = RegistryClient(base: base, credential: keyed.credential, transport: recorder, limits: .patient)
            _ = try await client.availability(of: "johndoe")
            _ = try await client.availability(ofEach: ["johndoe"])
            _ = try await client.liveAvailability(of: "johndoe", session: "a", number: 1)
            for try await _ in client.watch("johndoe") { break }
            _ = try await client.hold("johndoe", for: .id("john"))
            _ = try await client.claim("johndoe", for: .id("john"))
            _ = try await client.record(of: "johndoe")
            _ = try await client.handles(of: .id("john"))
            _ = try await client.recase("johndoe", as: "JohnDoe")
            _ = try await client.rename("johndoe", to: "johndoe2", for: .id("john"))
            _ = try await client.endForward(of: "johndoe")
            _ = try await client.resolve(handles: ["johndoe2"])
            _ = try await client.events(after: 0)
            for try await _ in client.eventStream(after: 0) { break }
            _ = try await client.offer("johndoe2", by: .id("john"))
            try await client.release("johndoe2")
            _ = try await client.assign("johndoe2", to: "john", reason: "ticket 1")
            _ = try await client.reserve("janeroe", reason: "ticket 1")
            _ = try await client.lock(owner: "john", reason: "ticket 1")
            _ = try await client.lock(of: "john")
            try await client.unlock(owner: "john")
            try await client.forget(owner: "john")
            let made = recorder.seen.map { request in
                let path = request.url.path.replacing(/\/johndoe2?(?=\/|$)/, with: "/{handle}")
                    .replacing("/owners/john", with: "/owners/{owner}")
                return "\(request.method) \(path)"
            }

            let answer = try await real.send(
                TransportRequest(method: "GET", url: base.appending(path: "openapi.json")))
            var body = Data()
            for try await part in answer.body { body += part }
            let document = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
            let paths = try #require(document["paths"] as? [String: [String: Any]])
            let documented = paths.filter { $0.key.hasPrefix("/v1/") }.flatMap { path, calls in
                calls.keys.map { "\($0.uppercased()) \(path)" }
            }
            #expect(Set(made) == Set(documented))
        }
    }

    @Test func availabilityCallsReadTheAnswersOfTheService() async throws {
        try await withService { client, anyone, _ in
            let free = try await anyone.availability(of: " @JaneRoe")
            #expect(free.available && free.handle == Handle("janeroe") && free.display?.description == "JaneRoe")
            #expect(free.reasons.isEmpty && free.suggestions.isEmpty && free.input == " @JaneRoe")

            _ = try await client.claim("JaneRoe", for: .id("jane"))
            let taken = try await anyone.availability(of: "janeroe", name: "Jane Roe")
            #expect(taken.status == .unavailable && taken.reasons.map(\.kind) == [.taken(nil)])
            #expect(taken.suggestions.count == 5 && taken.suggestions.allSatisfy { $0.handle != taken.handle })
            #expect(try await client.availability(of: "janeroe").reasons.map(\.kind) == [.taken(.claimed)])
            #expect(try await client.availability(of: "janeroe", owner: "jane").available)
            #expect(try await anyone.availability(of: "johndoe", suggestions: 3).suggestions.count == 3)

            let word = try await anyone.availability(of: "Admin", suggestions: 0)
            #expect(word.reasons.map(\.kind) == [.reservedWord(category: "roles", word: nil)])
            let bad = try await anyone.availability(of: "j.а", suggestions: 0)
            #expect(bad.status == .invalid && bad.handle == nil)
            #expect(bad.reasons.map(\.code) == [.invalidCharacter, .invalidCharacter])

            let many = try await anyone.availability(ofEach: ["JaneRoe", "j.", "harbor_jane"])
            #expect(many.map(\.status) == [.unavailable, .invalid, .available])
            #expect(try await anyone.availability(ofEach: []).isEmpty)

            let live = try await anyone.liveAvailability(of: "harbor_jane", session: "a", number: 7)
            #expect(live.available)
            let error = await #expect(throws: HandleClientError.self, "an older keystroke has no answer") {
                try await anyone.liveAvailability(of: "harbor_jan", session: "a", number: 6)
            }
            #expect(error?.problem?.code == .superseded)
        }
    }

    @Test func writesHoldClaimRecaseRenameReleaseAndForget() async throws {
        try await withService { client, anyone, _ in
            let hold = try await client.hold("JaneRoe", for: .id("jane"), lasting: .seconds(60))
            #expect(hold.handle == Handle("janeroe") && hold.display.description == "JaneRoe" && hold.owner == "jane")
            #expect(hold.secret.hasPrefix("hold_") && !"\(hold)".contains(hold.secret))
            #expect(abs(hold.expiresAt.timeIntervalSinceNow - 60) < 50)
            #expect(try await client.hold("janeroe", for: .id("jane")).secret == hold.secret)
            #expect(try await client.record(of: "janeroe")?.state == .held)
            #expect(try await anyone.record(of: "janeroe") == nil)

            let claimed = try await client.claim("janeroe", display: "JaneRoe", for: .id("john"), hold: hold.secret)
            #expect(claimed.owner == "john" && claimed.state == .claimed && claimed.display.description == "JaneRoe")
            #expect(claimed.until == nil && abs(claimed.changedAt.timeIntervalSinceNow) < 600)
            let seen = try #require(try await anyone.record(of: "@JaneRoe"))
            #expect(seen.owner == nil && seen.state == .claimed && seen.version == claimed.version)

            let recased = try await client.recase("janeroe", as: "JANEROE", ifVersion: claimed.version)
            #expect(recased.display.description == "JANEROE" && recased.version > claimed.version)
            await #expect(throws: HandleClientError.self) {
                try await client.recase("janeroe", as: "janeRoe", ifVersion: claimed.version)
            }

            let renamed = try await client.rename("janeroe", to: "JohnDoe", for: .id("john"))
            #expect(renamed.handle == Handle("johndoe") && renamed.owner == "john")
            let owned = try await client.handles(of: .id("john"))
            #expect(owned.map(\.handle) == [Handle("johndoe")] && owned.map(\.state) == [.claimed])

            let error = await #expect(throws: HandleClientError.self, "it is another owner's") {
                try await client.release("johndoe", of: "jane")
            }
            #expect(error?.problem?.code == .preconditionFailed)
            try await client.release("johndoe", of: "john")
            #expect(try await client.handles(of: .id("john")).isEmpty)
            #expect(try await client.record(of: "johndoe")?.state == .quarantined)

            _ = try await client.claim("another", for: .id("john"))
            try await client.forget(owner: "john")
            #expect(try await client.handles(of: .id("john")).isEmpty)
        }
    }

    @Test func moderatorsAssignReserveRenameAndReleaseAtOnce() async throws {
        try await withService { client, _, _ in
            _ = try await client.claim("JaneRoe", for: .id("jane"))
            let error = await #expect(throws: HandleClientError.self, "it is another owner's") {
                try await client.assign("janeroe", to: "org-1", from: "john", reason: "ticket 1")
            }
            #expect(error?.problem?.code == .preconditionFailed)
            let assigned = try await client.assign("JaneRoe", to: "org-1", from: "jane", reason: "ticket 1")
            #expect(assigned.owner == "org-1" && assigned.state == .claimed)
            let renamed = try await client.rename(
                "janeroe", to: "Harbor_Jane", for: "org-1", takingBecause: "ticket 2")
            #expect(renamed.display.description == "Harbor_Jane" && renamed.owner == "org-1")
            #expect(try await client.record(of: "janeroe")?.state == .reserved)

            try await client.release("harbor_jane", of: "org-1")
            try await client.releaseAtOnce("harbor_jane", of: "org-1")
            #expect(try await client.availability(of: "harbor_jane").available)

            _ = try await client.claim("johndoe", for: .id("john"))
            let taken = await #expect(throws: HandleClientError.self, "it is claimed") {
                try await client.reserve("johndoe", reason: "ticket 3")
            }
            #expect(taken?.reasons.map(\.kind) == [.taken(.claimed)])
            let end = Date(timeIntervalSince1970: 4_000_000_000)
            let reserved = try await client.reserve(
                "JohnDoe", for: "org-1", until: end, taking: true, reason: "ticket 3")
            #expect(reserved.state == .reserved && reserved.owner == "org-1" && reserved.reason == "ticket 3")
            #expect(reserved.until == end)
        }
    }

    @Test func lockedOwnerIsToldUntilWhen() async throws {
        try await withService { client, _, _ in
            #expect(try await !client.lock(of: "jane").isLocked)
            let end = Date(timeIntervalSince1970: 4_000_000_000)
            let lock = try await client.lock(owner: "jane", until: end, reason: "ticket 1")
            #expect(lock.isLocked && lock.until == end && lock.reason == "ticket 1" && lock.actor != nil)
            #expect(try await client.lock(of: "jane") == lock)
            let answer = try await client.availability(of: "janeroe", owner: "jane")
            #expect(answer.reasons.map(\.kind) == [.ownerLocked(until: end)])
            #expect(try await client.lock(owner: "jane", reason: "ticket 2").until == nil)
            try await client.unlock(owner: "jane")
            #expect(try await !client.lock(of: "jane").isLocked)
            #expect(try await client.availability(of: "janeroe", owner: "jane").available)
        }
    }

    @Test func ownerOfManyGivenUpNamesCanOnlyTakeOneBack() async throws {
        try await withService { client, _, _ in
            let names = ["johndoe", "john_river", "john_stone", "john_valley"]
            _ = try await client.claim(names[0], for: .id("john"))
            for (old, new) in zip(names, names.dropFirst()) {
                _ = try await client.rename(old, to: new, for: .id("john"))
            }
            let error = await #expect(throws: HandleClientError.self, "three are given up") {
                try await client.rename("john_valley", to: "john_harbor", for: .id("john"))
            }
            let until = try #require(error?.problem?.until)
            #expect(error?.problem?.code == .tooManyChanges && until > Date.now && error?.retryAfter != nil)
            #expect(error?.reasons.map(\.kind) == [.tooManyChanges(until: until)])
            #expect(try await client.rename("john_valley", to: "johndoe", for: .id("john")).owner == "john")
        }
    }

    @Test func offeredNameIsClaimedByAnotherOwner() async throws {
        try await withService { client, _, _ in
            _ = try await client.claim("JaneRoe", for: .id("jane"))
            let offer = try await client.offer("janeroe", by: .id("jane"), lasting: .seconds(600))
            #expect(offer.owner == "jane" && offer.display.description == "JaneRoe")
            #expect(!"\(offer)".contains(offer.secret))
            #expect(try await client.claim("JaneRoe", for: .id("john"), hold: offer.secret).owner == "john")
        }
    }

    @Test func refusedWritesThrowTheProblemOfTheService() async throws {
        try await withService { client, anyone, _ in
            func refusal(_ why: String, _ work: () async throws -> Void) async throws -> HandleClientError {
                try #require(await #expect(throws: HandleClientError.self, "\(why)") { try await work() })
            }
            _ = try await client.claim("JaneRoe", for: .id("jane"))
            let taken = try await refusal("it is taken") { _ = try await client.claim("janeroe", for: .id("john")) }
            #expect(taken.problem?.code == .taken && taken.reasons.map(\.kind) == [.taken(.claimed)])
            let malformed = try await refusal("no handle") { _ = try await client.hold("a.b", for: .id("john")) }
            #expect(malformed.problem?.status == 422 && malformed.reasons.map(\.code) == [.invalidCharacter])
            let claim = try await refusal("a key is needed") { _ = try await anyone.claim("johndoe", for: .id("john")) }
            #expect(claim.problem?.code == .noKey)
            let list = try await refusal("a key is needed") { _ = try await anyone.handles(of: .id("john")) }
            #expect(list.problem?.code == .noKey)

            let key = RegistryClient.newIdempotencyKey()
            for _ in 0..<2 {
                let claimed = try await client.claim("johndoe", for: .id("john"), idempotencyKey: key)
                #expect(claimed.owner == "john" && claimed.version == 1)
            }
            let reused = try await refusal("the key is of another request") {
                _ = try await client.claim("johndoe2", for: .id("john"), idempotencyKey: key)
            }
            #expect(reused.problem?.code == .idempotencyKeyReused)
        }
    }

    /// The app and the service judge the same texts.
    @Test func formatValidationAgreesWithTheService() async throws {
        try await withService { _, anyone, _ in
            var names = TypedNames(seed: 15)
            for _ in 0..<10 {
                let typed = (0..<200).map { _ in names.next() }.filter { !$0.utf8.contains(0) }
                let answers = try await anyone.availability(ofEach: typed)
                for (typed, answer) in zip(typed, answers) {
                    #expect((answer.status == .invalid) == (HandleFormatValidation(typed) != .valid), "\(typed)")
                }
            }
        }
    }
}
