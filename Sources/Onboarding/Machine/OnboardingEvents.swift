public import HandleClient
public import HandleCore

extension OnboardingMachine {
    /// What a person does, and what came of an effect.
    public enum Event: Sendable, Hashable {
        /// A signed-in person has no profile yet: the app has started, or they have signed in again.
        case started
        /// The names that the person holds and has claimed.
        case listed([HandleRecord])
        case listFailed(CallFailure)
        case field(HandleFieldMachine.Event)
        /// The person goes on from the first step.
        case continued
        /// The name is kept; or it can't be held again so soon, and can be claimed.
        case held(DisplayHandle)
        case holdFailed(DisplayHandle, CallFailure)
        /// The person wants another handle.
        case wentBack
        case typedDisplayName(String)
        /// The person goes on from the second step. The key is a new one each time, and used only for a new claim.
        case submitted(idempotencyKey: String)
        /// The claim with this key is answered: the person has the name.
        case claimed(DisplayHandle, idempotencyKey: String)
        case claimFailed(idempotencyKey: String, CallFailure)
        case saved(UserProfile)
        case saveFailed(UserProfile, CallFailure)
    }

    /// What is to be done. Each kind takes the place of an earlier effect of its kind, whether that waits or is under way.
    public enum Effect: Sendable, Hashable {
        /// Ask which names the person holds and has claimed.
        case list(after: Duration)
        case check(String, after: Duration)
        case stopChecking
        case hold(DisplayHandle)
        case claim(Claim, after: Duration)
        /// Store the profile in the app's store.
        case save(UserProfile, after: Duration)
        /// End the save, and its repetition.
        case stopSaving

        init(_ effect: HandleFieldMachine.Effect) {
            switch effect {
            case .check(let text, let pause): self = .check(text, after: pause)
            case .stopChecking: self = .stopChecking
            }
        }
    }
}
