import Foundation
import HandleClient
import HandleRules
import Onboarding
import Testing

/// Each test checks one promise of the state machine.
@Suite struct MachineTests {
    private let display = Answers.record("JaneRoe", .claimed).display
    private let refused = [Answers.taken]

    /// A machine for a person without names, after some events.
    private func machine(_ events: OnboardingMachine.Event...) -> OnboardingMachine {
        var machine = OnboardingMachine(userID: "jane")
        for event in [.started, .listed([])] + events { _ = machine.receive(event) }
        return machine
    }

    /// A machine at the second step, with a display name.
    private func named(_ events: OnboardingMachine.Event...) -> OnboardingMachine {
        var machine = machine(.field(.typed("JaneRoe")), .continued, .held(display), .typedDisplayName(" Jane Roe "))
        for event in events { _ = machine.receive(event) }
        return machine
    }

    private var profile: UserProfile {
        UserProfile(userId: "jane", handle: "janeroe", displayHandle: "JaneRoe", displayName: "Jane Roe")
    }

    @Test func answerAboutAnotherTextIsDropped() {
        var machine = machine(.field(.typed("janeroe")))
        _ = machine.receive(.field(.checked(Answers.available("janero"))))
        #expect(machine.state == .checking)
        _ = machine.receive(.field(.checked(Answers.available("JaneRoe"))))
        #expect(machine.state == .checking)
        _ = machine.receive(.field(.checkFailed("janero", .passing(retryAfter: nil))))
        #expect(machine.state == .checking)
        // Swift's `==` calls these two strings equal.
        _ = machine.receive(.field(.typed("\u{212A}elvin")))
        _ = machine.receive(.field(.checked(Answers.available("Kelvin"))))
        #expect(machine.state == .checking)
    }

    @Test func failedCheckIsRetriedAndThePersonMayContinue() {
        var machine = machine(.field(.typed("JaneRoe")))
        let failed = OnboardingMachine.Event.field(.checkFailed("JaneRoe", .passing(retryAfter: .seconds(3))))
        #expect(machine.receive(failed) == [.check("JaneRoe", after: .seconds(3))])
        #expect(machine.state == .unknown)
        #expect(machine.receive(failed) == [.check("JaneRoe", after: .seconds(3))])
        #expect(machine.receive(failed) == [.check("JaneRoe", after: .seconds(4))])
        for _ in 0..<20 { _ = machine.receive(failed) }
        #expect(machine.receive(failed) == [.check("JaneRoe", after: .seconds(30))])
        #expect(machine.receive(.continued) == [.hold(display)])
        _ = machine.receive(.field(.checked(Answers.available("JaneRoe"))))
        #expect(machine.state == .available(Answers.available("JaneRoe")))
    }

    @Test func checkThatFailsForGoodIsNotRetried() {
        var machine = machine(.field(.typed("JaneRoe")))
        #expect(machine.receive(.field(.checkFailed("JaneRoe", .lasting("403")))).isEmpty)
        #expect(machine.state == .unknown)
    }

    @Test func continueWithoutAnAnswerRequestsTheHold() {
        var machine = machine(.field(.typed("JaneRoe")))
        #expect(machine.state == .checking)
        #expect(machine.receive(.continued) == [.hold(display)])
        // Pressing again requests no second hold.
        #expect(machine.receive(.continued).isEmpty)
    }

    @Test(arguments: [("ja", OnboardingMachine.State.malformed(.tooShort)), ("", .empty)])
    func continueWithoutANameShowsTheBrokenRule(_ typed: String, _ state: OnboardingMachine.State) {
        var machine = machine(.field(.typed(typed)))
        #expect(!machine.field.hasLeft)
        #expect(machine.receive(.continued).isEmpty)
        #expect(machine.field.hasLeft && machine.state == state)
    }

    @Test func typingDuringAHoldDropsItsAnswer() {
        var machine = machine(.field(.typed("JaneRoe")), .continued, .field(.typed("JaneRoe2")))
        #expect(machine.work == nil)
        _ = machine.receive(.held(display))
        #expect(machine.state == .checking)
        _ = machine.receive(.holdFailed(display, .refused(refused)))
        #expect(machine.state == .checking)
        // The late answers don't count for the next hold either.
        _ = machine.receive(.continued)
        _ = machine.receive(.held(display))
        _ = machine.receive(.holdFailed(display, .refused(refused)))
        #expect(machine.state == .checking && machine.work != nil)
    }

    @Test func refusedHoldShowsItsReasonsAndRequestsSuggestions() {
        var machine = machine(.field(.typed("JaneRoe")), .continued)
        #expect(machine.receive(.holdFailed(display, .refused(refused))) == [.check("JaneRoe", after: .zero)])
        #expect(machine.state == .unavailable(reasons: refused, suggestions: []))
        // The reasons stay while the suggestions can't be loaded.
        _ = machine.receive(.field(.checkFailed("JaneRoe", .passing(retryAfter: nil))))
        #expect(machine.state == .unavailable(reasons: refused, suggestions: []))
    }

    @Test(arguments: [Reason.ownerLocked(until: nil), .tooManyChanges(until: 1_800_000_000)])
    func personBarredFromOtherNamesGetsNoSuggestionsAndNoRetry(_ reason: Reason) {
        let reasons = [HandleReason(reason)]
        var machine = machine(.field(.typed("JaneRoe")), .continued)
        #expect(machine.receive(.holdFailed(display, .refused(reasons))) == [.stopChecking])
        #expect(machine.state == .unavailable(reasons: reasons, suggestions: []) && machine.work == nil)
        let suggestion = HandleSuggestion(display, method: "number")
        let answer = HandleAvailability("JaneRoe", reasons: reasons, suggestions: [suggestion])
        #expect(machine.receive(.field(.checked(answer))).isEmpty)
        #expect(machine.state == .unavailable(reasons: reasons, suggestions: []))
        // A lock during the second step leads back, and the claim is not repeated.
        var late = named(.submitted(idempotencyKey: "1"))
        #expect(late.receive(.claimFailed(idempotencyKey: "1", .refused(reasons))) == [.stopChecking])
        #expect(late.state == .unavailable(reasons: reasons, suggestions: []) && late.claim == nil)
    }

    @Test(arguments: [
        CallFailure.passing(retryAfter: nil), .signedOut, .misconfigured(.unknownIssuer), .lasting("x"),
    ])
    func failedHoldCanBeRetried(_ failure: CallFailure) {
        var machine = machine(.field(.typed("JaneRoe")), .continued, .holdFailed(display, failure))
        #expect(machine.failure == failure && machine.work == nil)
        #expect(machine.receive(.continued) == [.hold(display)])
        #expect(machine.failure == nil)
    }

    @Test func lostAnswerRepeatsTheClaimWithItsKey() {
        var machine = named(.submitted(idempotencyKey: "1"))
        let claim = machine.claim
        #expect(
            machine.receive(.claimFailed(idempotencyKey: "1", .passing(retryAfter: nil)))
                == [claim.map { .claim($0, after: .seconds(1)) }])
        #expect(machine.work == .claiming)
        // The person presses again: the same claim, at once.
        #expect(machine.receive(.submitted(idempotencyKey: "2")) == [claim.map { .claim($0, after: .zero) }])
        // The person can't choose another name, because this one may be claimed already.
        #expect(machine.receive(.wentBack).isEmpty && machine.state == .displayName(display))
        #expect(machine.receive(.field(.typed("other"))).isEmpty)
        // A later answer to the first request counts, once.
        #expect(machine.receive(.claimed(display, idempotencyKey: "1")) == [.save(profile, after: .zero)])
        #expect(machine.receive(.claimed(display, idempotencyKey: "1")).isEmpty)
    }

    @Test func claimedNameTakesPrecedenceOverTypedTextAndThatOverAHold() {
        let (held, claimed) = (Answers.record("Held", .held), Answers.record("JaneRoe", .claimed))
        var machine = OnboardingMachine(userID: "jane")
        for event in [.started, .field(.typed("other")), .listed([held])] as [OnboardingMachine.Event] {
            _ = machine.receive(event)
        }
        #expect(machine.state == .checking && machine.field.text == "other")
        _ = machine.receive(.started)
        _ = machine.receive(.listed([held, claimed]))
        #expect(machine.state == .claimed(display))
    }

    /// An app that was ended during a claim may have claimed a name without knowing it.
    @Test func claimWaitsUntilTheNamesOfThePersonAreKnown() {
        var machine = OnboardingMachine(userID: "jane")
        for event in [
            .field(.typed("JaneRoe")), .continued, .held(display), .typedDisplayName("Jane Roe"),
        ] as [OnboardingMachine.Event] { _ = machine.receive(event) }
        #expect(machine.receive(.submitted(idempotencyKey: "1")) == [.list(after: .zero)])
        #expect(machine.work == .claiming && machine.claim == nil)
        var other = machine
        #expect(other.receive(.listed([Answers.record("OldName", .claimed)])) == [.stopChecking])
        #expect(other.state == .claimed(Answers.record("OldName", .claimed).display) && other.work == nil)
        _ = machine.receive(.listFailed(.passing(retryAfter: nil)))
        #expect(machine.work == .claiming && machine.failure == .passing(retryAfter: nil))
        let effects = machine.receive(.listed([]))
        #expect(machine.claim?.idempotencyKey == "1" && effects == [machine.claim.map { .claim($0, after: .zero) }])
    }

    @Test func failedSaveIsRetriedAndTheClaimStays() {
        var machine = named(.submitted(idempotencyKey: "1"), .claimed(display, idempotencyKey: "1"))
        for (number, pause) in [1, 2, 4, 8, 16, 30, 30].enumerated() {
            let failure: CallFailure = number % 2 == 0 ? .lasting("the disk is full") : .passing(retryAfter: nil)
            #expect(machine.receive(.saveFailed(profile, failure)) == [.save(profile, after: .seconds(pause))])
            #expect(machine.state == .claimed(display) && machine.work == .saving)
        }
        // The store may refuse the display name, so the person can change it.
        #expect(machine.receive(.typedDisplayName("Jane")) == [.stopSaving])
        #expect(machine.work == nil)
        _ = machine.receive(.saved(profile))
        #expect(machine.state == .claimed(display))
        let other = UserProfile(userId: "jane", handle: "janeroe", displayHandle: "JaneRoe", displayName: "Jane")
        #expect(machine.receive(.submitted(idempotencyKey: "2")) == [.save(other, after: .zero)])
        _ = machine.receive(.saved(other))
        #expect(machine.state == .done(other))
    }

    /// An earlier request may have taken effect although its answer was lost.
    @Test func claimThatFailsForGoodKeepsItsKey() {
        var machine = named(.submitted(idempotencyKey: "1"), .claimFailed(idempotencyKey: "1", .lasting("403")))
        #expect(machine.failure == .lasting("403") && machine.work == nil)
        #expect(machine.receive(.wentBack).isEmpty)
        _ = machine.receive(.submitted(idempotencyKey: "2"))
        #expect(machine.claim?.idempotencyKey == "1" && machine.work == .claiming)
    }

    @Test(arguments: [
        ("", DisplayName.Fault.empty), ("  \n", .empty), (String(repeating: "é", count: 51), .tooLong(length: 51)),
        ("a\u{7}b", .controlCharacter),
    ])
    func invalidDisplayNameIsNotSubmitted(_ name: String, _ fault: DisplayName.Fault) {
        var machine = named(.typedDisplayName(name))
        #expect(machine.receive(.submitted(idempotencyKey: "1")).isEmpty)
        #expect(machine.hasSubmittedDisplayName && machine.claim == nil && DisplayName.fault(in: name) == fault)
    }

    @Test(arguments: ["J", " 山田太郎 ", String(repeating: "👩‍👩‍👧", count: 50)])
    func displayNamesOfUpToFiftyCharactersAreValid(_ name: String) {
        #expect(DisplayName.fault(in: name) == nil)
    }

    @Test func uncheckedNameIsCheckedAfterTheNextSignIn() {
        var machine = machine(.field(.typed("JaneRoe")), .field(.checkFailed("JaneRoe", .signedOut)))
        #expect(machine.state == .unknown)
        #expect(machine.receive(.started) == [.list(after: .zero), .check("JaneRoe", after: .zero)])
        #expect(machine.state == .checking)
    }

    @Test func saveThatNeedsASessionWaitsForIt() {
        var machine = named(.submitted(idempotencyKey: "1"), .claimed(display, idempotencyKey: "1"))
        #expect(machine.receive(.saveFailed(profile, .signedOut)).isEmpty)
        #expect(machine.failure == .signedOut && machine.work == nil && machine.state == .claimed(display))
        _ = machine.receive(.started)
        #expect(machine.failure == nil)
        #expect(machine.receive(.submitted(idempotencyKey: "2")) == [.save(profile, after: .zero)])
    }

    @Test func doneStateIgnoresAllEvents() {
        var machine = named(.submitted(idempotencyKey: "1"), .claimed(display, idempotencyKey: "1"), .saved(profile))
        for event in [
            .started, .listed([]), .field(.typed("x")), .continued, .held(display), .wentBack, .typedDisplayName("x"),
            .submitted(idempotencyKey: "2"), .claimed(display, idempotencyKey: "1"), .saved(profile),
        ] as [OnboardingMachine.Event] {
            #expect(machine.receive(event).isEmpty && machine.state == .done(profile))
        }
    }
}
