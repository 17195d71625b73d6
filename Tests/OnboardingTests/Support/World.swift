import HandleClient
import HandleRules
import Onboarding

/// A registry, a store of profiles and the network between them, as values. It carries out or loses the requests of a
/// machine, and records what has happened.
struct World {
    enum Kind: Hashable, CaseIterable { case list, check, hold, claim, save }

    static let me = "jane"
    private(set) var machine = OnboardingMachine(userID: me)
    /// The owner of each claimed name.
    private var owners: [Handle: String] = [:]
    private var myHold: DisplayHandle?
    /// The answers to claims by idempotency key, which the registry repeats.
    private var answered: [String: OnboardingMachine.Event] = [:]
    private(set) var profile: UserProfile?
    /// The request of each kind that the app waits for.
    private(set) var requests: [Kind: OnboardingMachine.Effect] = [:]
    /// Earlier answers of the registry: names that may be shown as held, and the last decision about each text.
    private var toldHeld: Set<Handle> = []
    private var toldAvailable: [String: Bool] = [:]
    private var lastKey = 0

    /// The broken promise of the machine; nil if there is none.
    private(set) var fault: String?

    mutating func send(_ event: OnboardingMachine.Event) {
        for effect in machine.receive(event) {
            guard let kind = Self.kind(effect) else {
                requests[effect == .stopSaving ? .save : .check] = nil
                continue
            }
            // An earlier claim may still be on its way. It takes effect now, and its answer is ignored.
            if let before = requests[kind], case .claim = before, before != effect { _ = answer(to: before) }
            requests[kind] = effect
        }
        inspect()
    }

    private static func kind(_ effect: OnboardingMachine.Effect) -> Kind? {
        switch effect {
        case .list: .list
        case .check: .check
        case .stopChecking, .stopSaving: nil
        case .hold: .hold
        case .claim: .claim
        case .save: .save
        }
    }

    // MARK: The person

    mutating func submit() {
        lastKey += 1
        send(.submitted(idempotencyKey: "\(lastKey)"))
    }

    // MARK: The network

    enum Fate: CaseIterable { case answered, lost, unsent, signedOut }

    /// Ends a request in one of the possible ways.
    mutating func deliver(_ kind: Kind, _ fate: Fate) {
        guard let request = requests.removeValue(forKey: kind) else { return }
        switch fate {
        case .answered: send(answer(to: request))
        case .lost:
            _ = answer(to: request)
            send(failure(of: request, .passing(retryAfter: nil)))
        case .unsent: send(failure(of: request, .passing(retryAfter: nil)))
        case .signedOut: send(failure(of: request, .signedOut))
        }
    }

    private func failure(of request: OnboardingMachine.Effect, _ failure: CallFailure) -> OnboardingMachine.Event {
        switch request {
        case .list: .listFailed(failure)
        case .check(let text, _): .field(.checkFailed(text, failure))
        case .stopChecking, .stopSaving: .started
        case .hold(let display): .holdFailed(display, failure)
        case .claim(let claim, _): .claimFailed(idempotencyKey: claim.idempotencyKey, failure)
        case .save(let profile, _): .saveFailed(profile, failure)
        }
    }

    // MARK: The registry

    /// Another person claims a name.
    mutating func snatch(_ name: String) {
        guard let handle = Handle(name), owners[handle] == nil, myHold?.handle != handle else { return }
        owners[handle] = "john"
    }

    mutating func endHold() { myHold = nil }

    /// Ends the app and starts it again. Its open requests arrive before that, or never.
    mutating func restart(arrives: Bool) {
        if arrives, let claim = requests[.claim] { _ = answer(to: claim) }
        if arrives, let save = requests[.save] { _ = answer(to: save) }
        requests = [:]
        (toldHeld, toldAvailable) = ([], [:])
        // An app with a profile has no onboarding any more.
        guard profile == nil else { return }
        machine = OnboardingMachine(userID: Self.me)
        send(.started)
    }

    private mutating func answer(to request: OnboardingMachine.Effect) -> OnboardingMachine.Event {
        switch request {
        case .list:
            let claimed = owners.filter { $0.value == Self.me }.map { Answers.record($0.key.description, .claimed) }
            let held = myHold.map { [Answers.record($0.description, .held)] } ?? []
            for record in claimed + held { toldHeld.insert(record.handle) }
            return .listed(held + claimed)
        case .check(let text, _):
            let isFree = Reading(folding: text).handle.map { owners[$0] == nil || owners[$0] == Self.me } ?? false
            toldAvailable[text] = isFree
            return .field(.checked(isFree ? Answers.available(text) : Answers.unavailable(text)))
        case .stopChecking, .stopSaving: return .started
        case .hold(let display):
            guard owners[display.handle] ?? Self.me == Self.me else {
                return .holdFailed(display, .refused([Answers.taken]))
            }
            myHold = display
            toldHeld.insert(display.handle)
            return .held(display)
        case .claim(let claim, _):
            let key = claim.idempotencyKey
            if let answer = answered[key] { return answer }
            let answer: OnboardingMachine.Event
            if owners[claim.display.handle] ?? Self.me == Self.me {
                owners[claim.display.handle] = Self.me
                answer = .claimed(claim.display, idempotencyKey: key)
            } else {
                answer = .claimFailed(idempotencyKey: key, .refused([Answers.taken]))
            }
            answered[key] = answer
            return answer
        case .save(let profile, _):
            self.profile = profile
            return .saved(profile)
        }
    }

    /// The names that the person has.
    var mine: [Handle] { owners.filter { $0.value == Self.me }.map(\.key) }

    private mutating func inspect() {
        if mine.count > 1 { fault = "claimed twice: \(mine)" }
        switch machine.state {
        case .available(let answer):
            if answer.input != machine.field.text { fault = "an answer about '\(answer.input)' is shown" }
            if toldAvailable[answer.input] != true { fault = "'\(answer.input)' is called available" }
        case .held(let display), .displayName(let display):
            if !toldHeld.contains(display.handle) { fault = "\(display) is held without a hold" }
        case .claimed(let display):
            if owners[display.handle] != Self.me { fault = "\(display) is shown as claimed" }
        case .done(let profile):
            if self.profile != profile { fault = "\(profile) is not stored" }
            if mine.map(\.description) != [profile.handle] { fault = "\(profile.handle) is not the person's name" }
        case .empty, .malformed, .checking, .unavailable, .unknown: break
        }
    }
}
