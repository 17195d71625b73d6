import HandleClient
public import HandleRules

/// From a typed name to a claimed one: the current step of a signed-in person, and the next actions. A pure value; the
/// ``OnboardingModel`` performs its effects and reports their results.
///
/// ```text
/// empty → malformed | checking → available | unavailable | unknown → held → displayName → claimed → done
/// ```
///
/// - The name is held when the person continues from the first step. The hold decides, not the check.
/// - A claim keeps one `Idempotency-Key` and is retried until it is answered. So a lost answer does not cause a second
///   claim.
/// - If another person gets the name meanwhile, the first step is shown again, and everything typed is kept. An expired
///   hold does not matter: the claim decides.
/// - After a restart, the names that the person holds or has claimed determine the step.
/// - A profile that can't be stored is stored again later. The claim is not undone.
///
/// ```swift
/// var machine = OnboardingMachine(userID: person)
/// let check = machine.receive(.field(.typed("JaneRoe")))  // [.check("JaneRoe", after: .zero)]
/// let hold = machine.receive(.continued)
/// ```
public struct OnboardingMachine: Sendable, Hashable {
    private enum Step: Hashable {
        case handle
        case displayName(DisplayHandle)
        case claimed(DisplayHandle)
        case done(UserProfile)
    }

    /// The person's id, for the profile.
    public let userID: String
    /// The field of the first step. It keeps its text in the later steps.
    public private(set) var field = HandleFieldMachine()
    /// The display name as typed.
    public private(set) var displayName = ""
    /// The request that the person waits for; nil when it is the person's turn.
    public private(set) var work: Work?
    /// The reason why the last request failed; nil after the next change of text, step or request.
    public private(set) var failure: CallFailure?
    /// Whether the person has tried to continue with the display name, so that its faults are shown.
    public private(set) var hasSubmittedDisplayName = false
    /// Whether the person's names are still unknown. Until they are known, nothing is claimed.
    public private(set) var isResuming = true
    /// The claim with an unknown outcome.
    public private(set) var claim: Claim?
    private var step = Step.handle
    /// The key of a claim that waits until the person's names are known.
    private var waitingKey: String?
    /// Consecutive failures of the same request.
    private var failures = 0
    private var listFailures = 0

    /// A machine in the first step, without typed text; `.started` or the person's next action begins it.
    public init(userID: String) { self.userID = userID }

    /// The current step with its details.
    public var state: State {
        switch step {
        case .handle:
            switch field.state {
            case .empty: .empty
            case .malformed(let format): .malformed(format)
            case .checking: .checking
            case .available(let answer): .available(answer)
            case .unavailable(let reasons, let suggestions): .unavailable(reasons: reasons, suggestions: suggestions)
            case .unknown: .unknown
            }
        case .displayName(let display):
            DisplayName.trimmed(displayName).isEmpty ? .held(display) : .displayName(display)
        case .claimed(let display): .claimed(display)
        case .done(let profile): .done(profile)
        }
    }

    /// The name that is held or claimed; nil in the first step.
    public var display: DisplayHandle? {
        switch step {
        case .handle: nil
        case .displayName(let display), .claimed(let display): display
        case .done(let profile): DisplayHandle(profile.displayHandle)
        }
    }

    /// Changes the state, and returns the effects to perform, in order. An event that does not fit the state has no
    /// effect.
    public mutating func receive(_ event: Event) -> [Effect] {
        switch event {
        case .started: return resume()
        case .listed(let records): return listed(records)
        case .listFailed(let failure): return listFailed(failure)
        case .field(let event): return receiveInField(event)
        case .continued: return hold()
        case .held(let display): held(display)
        case .holdFailed(let display, let failure): return holdFailed(display, failure)
        case .wentBack: return goBack()
        case .typedDisplayName(let text): return typedDisplayName(text)
        case .submitted(let key): return submit(key)
        case .claimed(let display, let key): return claimed(display, key)
        case .claimFailed(let key, let failure): return claimFailed(key, failure)
        case .saved(let profile): saved(profile)
        case .saveFailed(let profile, let failure): return saveFailed(profile, failure)
        }
        return []
    }
}

// MARK: Resuming

extension OnboardingMachine {
    private mutating func resume() -> [Effect] {
        if case .done = step { return [] }
        isResuming = true
        listFailures = 0
        if work == nil { failure = nil }
        // A check that failed, such as without a session, may succeed now.
        let isUnknown = step == .handle && field.state == .unknown
        return [.list(after: .zero)] + (isUnknown ? field.receive(.returned).map { Effect($0) } : [])
    }

    private mutating func listed(_ records: [HandleRecord]) -> [Effect] {
        guard isResuming else { return [] }
        isResuming = false
        listFailures = 0
        let key = waitingKey
        waitingKey = nil
        // An unanswered claim is repeated; its answer takes precedence over the list.
        if let claim { return repeatClaim(claim) }
        let newest = records.sorted { $0.changedAt < $1.changedAt }
        if let record = newest.last(where: { $0.state == .claimed }) {
            switch step {
            case .handle, .displayName: return leaveField(for: .claimed(record.display))
            case .claimed, .done: return []
            }
        }
        if let key, case .displayName(let display) = step {
            return repeatClaim(Claim(display: display, idempotencyKey: key))
        }
        // The typed text takes precedence over a held name.
        guard step == .handle, field.text.isEmpty, let record = newest.last(where: { $0.state == .held }) else {
            return []
        }
        _ = field.receive(.typed(record.display.description))
        return leaveField(for: .displayName(record.display))
    }

    private mutating func listFailed(_ problem: CallFailure) -> [Effect] {
        guard isResuming else { return [] }
        if waitingKey != nil { failure = problem }
        guard case .passing(let pause) = problem else {
            // The list is requested again when the person continues.
            if waitingKey != nil { work = nil }
            waitingKey = nil
            failure = problem
            return []
        }
        listFailures += 1
        return [.list(after: CallFailure.pause(after: listFailures, atLeast: pause))]
    }

    private mutating func leaveField(for next: Step) -> [Effect] {
        begin(nil)
        step = next
        return [.stopChecking]
    }

    /// Replaces the current request with another one, or none.
    private mutating func begin(_ work: Work?) {
        self.work = work
        failure = nil
        failures = 0
    }
}

// MARK: The handle

extension OnboardingMachine {
    private mutating func receiveInField(_ event: HandleFieldMachine.Event) -> [Effect] {
        guard step == .handle else { return [] }
        let before = field.text
        let effects = field.receive(event).map { Effect($0) }
        // A hold of the previous text is released by the next hold.
        if !before.isSame(as: field.text) { begin(nil) }
        return effects
    }

    private mutating func hold() -> [Effect] {
        guard step == .handle, work == nil else { return [] }
        guard let display = field.display else {
            // Shows what is wrong.
            _ = field.receive(.submitted)
            return []
        }
        begin(.holding(display))
        return [.hold(display)]
    }

    private mutating func held(_ display: DisplayHandle) {
        guard work == .holding(display) else { return }
        begin(nil)
        step = .displayName(display)
    }

    private mutating func holdFailed(_ display: DisplayHandle, _ problem: CallFailure) -> [Effect] {
        guard work == .holding(display) else { return [] }
        begin(nil)
        if case .refused(let reasons) = problem { return refuse(reasons) }
        failure = problem
        return []
    }

    /// The name in the field is unavailable. The reason may be another name that the person already has.
    private mutating func refuse(_ reasons: [HandleReason]) -> [Effect] {
        let isFull = reasons.contains { if case .ownerFull = $0.kind { true } else { false } }
        return field.receive(.refused(field.text, reasons)).map { Effect($0) } + (isFull ? resume() : [])
    }

    private mutating func goBack() -> [Effect] {
        // A claim that may have taken effect must be answered first.
        guard case .displayName = step, claim == nil else { return [] }
        waitingKey = nil
        begin(nil)
        step = .handle
        return field.receive(.returned).map { Effect($0) }
    }
}

// MARK: The display name, the claim and the profile

extension OnboardingMachine {
    private mutating func typedDisplayName(_ text: String) -> [Effect] {
        guard !text.isSame(as: displayName) else { return [] }
        // The name can't change during a save, unless the save has failed: the name may be the reason.
        guard work != .saving || failure != nil else { return [] }
        displayName = text
        guard work == .saving else { return [] }
        begin(nil)
        return [.stopSaving]
    }

    private mutating func submit(_ key: String) -> [Effect] {
        hasSubmittedDisplayName = true
        guard DisplayName.fault(in: displayName) == nil else { return [] }
        switch step {
        case .handle, .done: return []
        case .displayName(let display):
            // Pressing the button again does not create a second claim.
            if let claim { return repeatClaim(claim) }
            guard isResuming else { return repeatClaim(Claim(display: display, idempotencyKey: key)) }
            begin(.claiming)
            waitingKey = key
            return [.list(after: .zero)]
        case .claimed(let display): return save(display)
        }
    }

    private mutating func repeatClaim(_ claim: Claim) -> [Effect] {
        begin(.claiming)
        self.claim = claim
        return [.claim(claim, after: .zero)]
    }

    private mutating func claimed(_ display: DisplayHandle, _ key: String) -> [Effect] {
        guard claim?.idempotencyKey == key else { return [] }
        claim = nil
        begin(nil)
        step = .claimed(display)
        return DisplayName.fault(in: displayName) == nil ? save(display) : []
    }

    private mutating func claimFailed(_ key: String, _ problem: CallFailure) -> [Effect] {
        guard let claim, claim.idempotencyKey == key else { return [] }
        switch problem {
        case .refused(let reasons):
            self.claim = nil
            begin(nil)
            step = .handle
            return refuse(reasons)
        case .passing(let pause):
            failures += 1
            failure = problem
            return [.claim(claim, after: CallFailure.pause(after: failures, atLeast: pause))]
        case .signedOut, .misconfigured, .lasting:
            // An earlier request with this key may have taken effect, so no other key is used.
            work = nil
            failure = problem
        }
        return []
    }

    private mutating func save(_ display: DisplayHandle) -> [Effect] {
        begin(.saving)
        return [.save(profile(display), after: .zero)]
    }

    private func profile(_ display: DisplayHandle) -> UserProfile {
        UserProfile(
            userId: userID, handle: display.handle.description, displayHandle: display.description,
            displayName: DisplayName.trimmed(displayName))
    }

    private mutating func saved(_ profile: UserProfile) {
        guard work == .saving, case .claimed(let display) = step, profile == self.profile(display) else { return }
        begin(nil)
        step = .done(profile)
    }

    private mutating func saveFailed(_ profile: UserProfile, _ problem: CallFailure) -> [Effect] {
        guard work == .saving, case .claimed(let display) = step, profile == self.profile(display) else { return [] }
        failures += 1
        failure = problem
        if problem == .signedOut {
            work = nil
            return []
        }
        // The handle stays claimed, so every failed save is retried.
        var least: Duration?
        if case .passing(let pause) = problem { least = pause }
        return [.save(profile, after: CallFailure.pause(after: failures, atLeast: least))]
    }
}
