import Foundation
import HandleClient
import HandleCore
import Onboarding
import Sessions

/// Where a person is on their way from a typed name to a profile.
///
/// The rules are those of `OnboardingMachine`. An app keeps one machine while it runs; here one is made for each request, from the
/// draft and from what the registry knows.
struct SignUpSteps: Sendable {
    private let owner: String
    private let calls: OnboardingCalls
    private let drafts: JSONFile<Draft>
    private let profile: JSONFile<UserProfile>
    private(set) var machine: OnboardingMachine
    private(set) var draft: Draft

    init(for person: Person, registry: HandleClient, drafts: JSONFolder<Draft>, profiles: JSONFolder<UserProfile>)
        throws
    {
        owner = person.owner
        let profile = profiles.file(of: owner)
        self.profile = profile
        self.drafts = drafts.file(of: owner)
        draft = try self.drafts.load() ?? Draft()
        machine = OnboardingMachine(userID: owner)
        calls = OnboardingCalls(
            client: registry, owner: .id(owner),
            profiles: ProfileStore(load: { _ in try profile.load() }, save: { try profile.save($0) }))
    }

    /// The profile of a person who has finished; nil for one who has not.
    func finishedProfile() throws -> UserProfile? { try profile.load() }

    /// Checks a name without going on. What the person has typed is shown rather than what they hold.
    mutating func check(_ text: String) async throws {
        try await run(machine.receive(.field(.typed(text))))
    }

    /// Goes back to the first step. False while a claim may have taken effect: its answer comes first.
    mutating func goBack() throws -> Bool {
        guard draft.claim == nil else { return false }
        if draft.isSent {
            draft.isSent = false
            try save()
        }
        return true
    }

    /// Finds out which names the person holds and has claimed.
    mutating func resume() async throws { try await run(machine.receive(.started)) }

    /// Keeps what was typed in the first step.
    mutating func keep(handle text: String) throws {
        guard draft.claim == nil else { return }
        draft.handle = text
        try save()
    }

    /// Keeps what was typed in the second step.
    mutating func keep(displayName text: String) throws {
        draft.displayName = text
        try save()
    }

    /// Goes on from the first step: the hold decides.
    mutating func submit(handle text: String) async throws {
        draft.held = nil
        try keep(handle: text)
        _ = machine.receive(.field(.typed(text)))
        try await resume()
        try await run(machine.receive(.continued))
        guard let held = machine.display else { return }
        draft.held = held.description
        try save()
    }

    /// Goes to the second step, with the name that the person went on with. Whether they still hold it does not matter: the claim
    /// decides.
    mutating func openSecondStep() async throws {
        restore()
        try await resume()
        // A name that was held on another device.
        if draft.held == nil { draft.held = machine.display?.description }
    }

    /// Goes on from the second step, which is open: claims the name, and stores the profile.
    /// - Parameter display: the handle in other capitals; nil for those that it has.
    mutating func submit(displayName: String, display: DisplayHandle?) async throws {
        draft.displayName = displayName
        draft.isSent = true
        // A claim that may have taken effect is repeated as it was.
        if draft.claim == nil, let display {
            draft.held = display.description
            _ = machine.receive(.wentBack)
            restore()
        }
        try save()
        try await finish()
    }

    /// Does what is missing after the second step was sent; the step is open.
    mutating func finish() async throws {
        _ = machine.receive(.typedDisplayName(draft.displayName))
        let key = draft.claim?.key ?? HandleClient.newIdempotencyKey()
        try await run(machine.receive(.submitted(idempotencyKey: key)))
        // The person turned out to have another name already. It gets the profile.
        if case .claimed = machine.state, machine.failure == nil, machine.work == nil {
            try await run(machine.receive(.submitted(idempotencyKey: HandleClient.newIdempotencyKey())))
        }
        // Without the registry's list nothing was claimed now, and an earlier claim is still not answered.
        guard !machine.isResuming else { return }
        if machine.claim == nil { draft.claim = nil }
        switch machine.state {
        case .done: draft = Draft()
        case .empty, .malformed, .checking, .available, .unavailable, .unknown:
            // The name can't be had any more.
            draft.held = nil
            draft.isSent = false
        case .held, .displayName, .claimed: break
        }
        try save()
    }

    /// Brings the machine to the second step without a call.
    private mutating func restore() {
        guard let display = (draft.claim?.display ?? draft.held).flatMap(DisplayHandle.init) else { return }
        _ = machine.receive(.field(.typed(display.description)))
        _ = machine.receive(.continued)
        _ = machine.receive(.held(display))
    }

    /// Makes the calls that the machine asks for, but those that it asks for later: a page is waiting.
    private mutating func run(_ effects: [OnboardingMachine.Effect]) async throws {
        var effects = effects[...]
        while let effect = effects.popFirst() {
            guard effect.isDue else { continue }
            if case .claim(let claim, _) = effect {
                // Noted before it is sent, so that it is repeated with its key whatever happens.
                draft.claim = Draft.Claim(display: claim.display.description, key: claim.idempotencyKey)
                try save()
            }
            if let event = await calls.event(for: effect) { effects += machine.receive(event) }
        }
    }

    private func save() throws { try drafts.save(draft) }
}

extension OnboardingMachine.Effect {
    /// Whether it is to be done at once.
    fileprivate var isDue: Bool {
        switch self {
        case .list(let pause), .check(_, let pause), .claim(_, let pause), .save(_, let pause): pause == .zero
        case .hold, .stopChecking, .stopSaving: true
        }
    }
}
