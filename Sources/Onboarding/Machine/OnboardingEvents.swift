public import HandleClient
public import HandleRules

extension OnboardingMachine {
    /// Actions of the person, and results of effects.
    public enum Event: Sendable, Hashable {
        /// A signed-in person has no profile yet: the app has started, or the person has signed in again.
        case started
        /// The names that the person holds and has claimed.
        case listed([HandleRecord])
        case listFailed(CallFailure)
        case field(HandleFieldMachine.Event)
        /// The person continues from the first step.
        case continued
        /// The name is held, or it can't be held again so soon but can be claimed.
        case held(DisplayHandle)
        case holdFailed(DisplayHandle, CallFailure)
        /// The person wants another handle.
        case wentBack
        case typedDisplayName(String)
        /// The person continues from the second step. The key is new each time, and used only for a new claim.
        case submitted(idempotencyKey: String)
        /// The claim with this key succeeded: the person has the name.
        case claimed(DisplayHandle, idempotencyKey: String)
        case claimFailed(idempotencyKey: String, CallFailure)
        case saved(UserProfile)
        case saveFailed(UserProfile, CallFailure)
    }

    /// An action for the model. Each supersedes an earlier effect of its kind, whether that is waiting or running.
    public enum Effect: Sendable, Hashable {
        /// List the names that the person holds and has claimed.
        case list(after: Duration)
        case check(String, after: Duration)
        case stopChecking
        case hold(DisplayHandle)
        case claim(Claim, after: Duration)
        /// Store the profile in the app's store.
        case save(UserProfile, after: Duration)
        /// Cancel the save and its retries.
        case stopSaving

        init(_ effect: HandleFieldMachine.Effect) {
            switch effect {
            case .check(let text, let pause): self = .check(text, after: pause)
            case .stopChecking: self = .stopChecking
            }
        }
    }
}
