import HTTPLoading
public import HandleClient
import HandleRules
public import Observation

/// The steps of a signed-in person from a typed name to a claimed one, for views. It is read and changed on the main
/// actor only.
///
/// The rules are those of ``OnboardingMachine``. Buttons need not be disabled: a call that is not possible has no
/// effect and shows what is missing.
///
/// ```swift
/// let model = OnboardingModel(userID: person, client: registry, profiles: profiles)
/// model.start()
/// model.field.text = "JaneRoe"
/// model.next()  // holds the name; `step` becomes `.displayName` when it is held
/// ```
@Observable @MainActor public final class OnboardingModel {
    /// The screen to show.
    public enum Step: Sendable, Hashable {
        /// The form with the ``OnboardingModel/field``.
        case handle
        /// The form with the ``OnboardingModel/displayName``, for a handle that is held or claimed.
        case displayName
        /// The handle is claimed, and the profile is stored.
        case done
    }

    /// The complete state; the other members derive from it.
    public private(set) var machine: OnboardingMachine
    /// The field of the first step.
    public let field: HandleField
    /// The texts for people, as given.
    public var texts: OnboardingTexts { field.texts }

    @ObservationIgnored private let calls: OnboardingCalls
    @ObservationIgnored private let timing: Timing
    @ObservationIgnored private let finished: @MainActor (UserProfile) -> Void
    @ObservationIgnored private let listing = Slot()
    @ObservationIgnored private let holding = Slot()
    @ObservationIgnored private let claiming = Slot()
    @ObservationIgnored private let saving = Slot()

    /// - Parameters:
    ///   - userID: the person's id, for the profile.
    ///   - client: with the credential `.person` of this person.
    ///   - profiles: the app's store of profiles.
    ///   - validator: used by this onboarding only; nil for one that uses `client`.
    ///   - texts: the texts for people.
    ///   - clock: measures pauses.
    ///   - finished: called once, with the stored profile.
    public init(
        userID: String, client: RegistryClient, profiles: ProfileStore, validator: HandleValidator? = nil,
        texts: OnboardingTexts = OnboardingTexts(), clock: any Clock<Duration> = .continuous,
        finished: @escaping @MainActor (UserProfile) -> Void = { _ in }
    ) {
        machine = OnboardingMachine(userID: userID)
        calls = OnboardingCalls(client: client, profiles: profiles)
        self.finished = finished
        timing = Timing(clock)
        field = HandleField(
            validator: validator ?? HandleValidator(apiClient: client, clock: clock), texts: texts, clock: clock)
        field.follow { [weak self] in self?.receive(.field($0)) }
    }

    /// The current step with its details.
    public var state: OnboardingMachine.State { machine.state }

    /// The form to show.
    public var step: Step {
        switch machine.state {
        case .empty, .malformed, .checking, .available, .unavailable, .unknown: .handle
        case .held, .displayName, .claimed: .displayName
        case .done: .done
        }
    }

    /// The text of the second form. It can't be changed while a save is under way that has not failed.
    public var displayName: String {
        get { machine.displayName }
        set { receive(.typedDisplayName(newValue)) }
    }

    /// The handle as it will be shown, with an `@`; nil in the first step.
    public var preview: String? { machine.display.map { "@\($0)" } }
    /// Whether the person waits for a request.
    public var isWaiting: Bool { machine.work != nil }
    /// Whether the person has to sign in before continuing; then call `start()` again.
    public var needsSignIn: Bool { machine.failure == .signedOut }
    /// Whether the person may choose another handle: this one is not claimed, and no claim is pending.
    public var canGoBack: Bool { step == .displayName && machine.claim == nil && !isClaimed }
    private var isClaimed: Bool { if case .claimed = machine.state { true } else { false } }

    /// The fault of the display name, once the person has tried to continue with it.
    public var displayNameMessage: String? {
        guard step == .displayName, machine.hasSubmittedDisplayName else { return nil }
        return DisplayName.fault(in: machine.displayName).map(texts.displayNameFault)
    }

    /// The message about the last request: failed, running or done. Nil when there is none.
    public var message: String? {
        if let failure = machine.failure { return texts.message(for: failure, isRepeated: isWaiting) }
        if isWaiting { return texts.waiting }
        if case .done(let profile) = machine.state { return texts.done(profile.displayHandle) }
        return nil
    }

    /// Determines the current step. Call it when the view appears, and after the person has signed in again.
    public func start() { receive(.started) }

    /// Continues from the current step.
    public func next() {
        switch step {
        case .handle: receive(.continued)
        case .displayName: receive(.submitted(idempotencyKey: RegistryClient.newIdempotencyKey()))
        case .done: break
        }
    }

    /// Goes back to the handle, if possible.
    public func back() { receive(.wentBack) }

    private func receive(_ event: OnboardingMachine.Event) {
        let wasDone = step == .done
        let effects = machine.receive(event)
        field.show(machine.field)
        for effect in effects { perform(effect) }
        if !wasDone, case .done(let profile) = machine.state { finished(profile) }
    }

    private func perform(_ effect: OnboardingMachine.Effect) {
        switch effect {
        case .check(let text, let pause): field.perform(.check(text, after: pause))
        case .stopChecking: field.perform(.stopChecking)
        case .stopSaving: saving.cancel()
        case .list(let pause): run(effect, in: listing, after: pause)
        case .hold: run(effect, in: holding)
        case .claim(_, let pause): run(effect, in: claiming, after: pause)
        // An older profile must not be stored after this one.
        case .save(_, let pause): run(effect, in: saving, inTurn: true, after: pause)
        }
    }

    private func run(
        _ effect: OnboardingMachine.Effect, in slot: Slot, inTurn: Bool = false, after pause: Duration = .zero
    ) {
        slot.run(inTurn: inTurn) { [weak self, timing, calls] in
            if pause > .zero { try? await timing.sleep(pause) }
            // Another request may have superseded this one, before it began or before it was answered.
            guard !Task.isCancelled, let event = await calls.event(for: effect), !Task.isCancelled else { return }
            self?.receive(event)
        }
    }
}
