import Foundation
import HandleClient
import HandleRules
import Onboarding
import Sessions

/// The progress of one person from a typed name to a profile.
///
/// The rules are those of `OnboardingMachine`. An app keeps one machine while it runs. Here each request makes one from
/// the draft and from the person's names in the registry.
struct SignUpSteps: Sendable {
    private let owner: String
    private let calls: OnboardingCalls
    private let drafts: JSONFile<Draft>
    private let profile: JSONFile<UserProfile>
    private(set) var machine: OnboardingMachine
    private(set) var draft: Draft

    init(for person: Person, registry: RegistryClient, drafts: JSONFolder<Draft>, profiles: JSONFolder<UserProfile>)
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

    /// The stored profile; nil before the person has finished.
    func finishedProfile() throws -> UserProfile? { try profile.load() }

    /// Checks a name, and stays in the first step. The text replaces a name that the person holds.
    mutating func check(_ text: String) async throws {
        try await run(machine.receive(.field(.typed(text))))
    }

    /// Goes back to the first step.
    /// - Returns: false while a claim has no answer, because it may have taken effect.
    mutating func goBack() throws -> Bool {
        guard draft.claim == nil else { return false }
        if draft.isSent {
            draft.isSent = false
            try save()
        }
        return true
    }

    /// Asks the registry which names the person holds and has claimed.
    mutating func resume() async throws { try await run(machine.receive(.started)) }

    /// Stores the input of the first step.
    mutating func keep(handle text: String) throws {
        guard draft.claim == nil else { return }
        draft.handle = text
        try save()
    }

    /// Stores the input of the second step.
    mutating func keep(displayName text: String) throws {
        draft.displayName = text
        try save()
    }

    /// Submits the first step. The hold decides whether the name is available.
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

    /// Opens the second step with the name from the first step. The hold may have expired: the claim decides.
    mutating func openSecondStep() async throws {
        restore()
        try await resume()
        // The name may be held from another device.
        if draft.held == nil { draft.held = machine.display?.description }
    }

    /// Submits the second step: claims the name, and stores the profile. Call ``openSecondStep()`` first.
    /// - Parameter display: the handle with other capitals; nil to keep its capitals.
    mutating func submit(displayName: String, display: DisplayHandle?) async throws {
        draft.displayName = displayName
        draft.isSent = true
        // A claim that may have taken effect is repeated without a change.
        if draft.claim == nil, let display {
            draft.held = display.description
            _ = machine.receive(.wentBack)
            restore()
        }
        try save()
        try await finish()
    }

    /// Completes a second step that was submitted. Call ``openSecondStep()`` first.
    mutating func finish() async throws {
        _ = machine.receive(.typedDisplayName(draft.displayName))
        let key = draft.claim?.key ?? RegistryClient.newIdempotencyKey()
        try await run(machine.receive(.submitted(idempotencyKey: key)))
        // The person has claimed another name already. The profile is stored for that name.
        if case .claimed = machine.state, machine.failure == nil, machine.work == nil {
            try await run(machine.receive(.submitted(idempotencyKey: RegistryClient.newIdempotencyKey())))
        }
        // The names of the person could not be read, so nothing was claimed now. An earlier claim still has no answer.
        guard !machine.isResuming else { return }
        if machine.claim == nil { draft.claim = nil }
        switch machine.state {
        case .done: draft = Draft()
        case .empty, .malformed, .checking, .available, .unavailable, .unknown:
            // The name is not available any more.
            draft.held = nil
            draft.isSent = false
        case .held, .displayName, .claimed: break
        }
        try save()
    }

    /// Brings the machine to the second step without a request.
    private mutating func restore() {
        guard let display = (draft.claim?.display ?? draft.held).flatMap(DisplayHandle.init) else { return }
        _ = machine.receive(.field(.typed(display.description)))
        _ = machine.receive(.continued)
        _ = machine.receive(.held(display))
    }

    /// Performs the machine's effects. Effects with a pause are skipped, because a browser waits for the page.
    private mutating func run(_ effects: [OnboardingMachine.Effect]) async throws {
        var effects = effects[...]
        while let effect = effects.popFirst() {
            guard effect.isDue else { continue }
            if case .claim(let claim, _) = effect {
                // Stored before the request, so that a retry uses the same key even after a crash.
                draft.claim = Draft.Claim(display: claim.display.description, key: claim.idempotencyKey)
                try save()
            }
            if let event = await calls.event(for: effect) { effects += machine.receive(event) }
        }
    }

    private func save() throws { try drafts.save(draft) }
}

extension OnboardingMachine.Effect {
    /// Whether it has no pause.
    fileprivate var isDue: Bool {
        switch self {
        case .list(let pause), .check(_, let pause), .claim(_, let pause), .save(_, let pause): pause == .zero
        case .hold, .stopChecking, .stopSaving: true
        }
    }
}
