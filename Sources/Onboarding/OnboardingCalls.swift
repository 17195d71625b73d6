public import HandleClient
import HandleRules

/// Makes the calls that the effects of an ``OnboardingMachine`` require, each once and without its pause.
///
/// ``OnboardingModel`` uses it in an app. A server creates a machine for each request, and makes these calls until
/// the machine waits for the person.
public struct OnboardingCalls: Sendable {
    private let client: RegistryClient
    private let owner: HandleOwner
    private let profiles: ProfileStore

    /// - Parameters:
    ///   - client: with the credential `.person` of this person; with `.key` for a server.
    ///   - owner: `.me`; for a server, the id of the person.
    ///   - profiles: the app's store of profiles.
    public init(client: RegistryClient, owner: HandleOwner = .me, profiles: ProfileStore) {
        self.client = client
        self.owner = owner
        self.profiles = profiles
    }

    /// The result of an effect; nil for an effect without a call.
    public func event(for effect: OnboardingMachine.Effect) async -> OnboardingMachine.Event? {
        switch effect {
        case .stopChecking, .stopSaving: return nil
        case .list:
            do {
                return .listed(try await client.handles(of: owner))
            } catch {
                return .listFailed(CallFailure(error))
            }
        case .check(let text, _):
            do {
                return .field(.checked(try await availability(of: text)))
            } catch {
                return .field(.checkFailed(text, CallFailure(error)))
            }
        case .hold(let display):
            do {
                try await hold(display)
                return .held(display)
            } catch {
                return .holdFailed(display, CallFailure(error))
            }
        case .claim(let claim, _):
            let key = claim.idempotencyKey
            do {
                let record = try await client.claim(claim.display.description, for: owner, idempotencyKey: key)
                return .claimed(record.display, idempotencyKey: key)
            } catch {
                return .claimFailed(idempotencyKey: key, CallFailure(error))
            }
        case .save(let profile, _):
            do {
                try await profiles.save(profile)
                return .saved(profile)
            } catch {
                return .saveFailed(profile, CallFailure(error))
            }
        }
    }

    private func hold(_ display: DisplayHandle) async throws(HandleClientError) {
        do throws(HandleClientError) {
            _ = try await client.hold(display.description, for: owner)
        } catch {
            // The claim doesn't need the hold.
            let isClaimable =
                switch error.problem?.code {
                case .holdPaused: true
                // A name that is reserved for the person, or was the person's before, can be claimed but not held. A
                // look-alike of a held name becomes available when that name is claimed, which may have happened since.
                case .taken, .lookalike: try await availability(of: display.description).available
                default: false
                }
            guard isClaimable else { throw error }
        }
    }

    private func availability(of text: String) async throws(HandleClientError) -> HandleAvailability {
        switch owner {
        case .me: try await client.availability(of: text)
        case .id(let id): try await client.availability(of: text, owner: id)
        }
    }
}
