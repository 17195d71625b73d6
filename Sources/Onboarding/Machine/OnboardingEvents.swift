public import HandleClient
public import HandleRules

extension OnboardingMachine {
    /// Actions of the person, and results of effects.
    public enum Event: Sendable, Hashable {
        /// A signed-in person has no profile yet: the app has started, or the person has signed in again.
        case started
        /// The names that the person holds and has claimed.
        case listed([HandleRecord])
        /// The list could not be read. After a transient failure it is requested again.
        case listFailed(CallFailure)
        /// An event of the field in the first step; ignored in later ones.
        case field(HandleFieldMachine.Event)
        /// The person continues from the first step.
        case continued
        /// The name is held, or it can't be held again so soon but can be claimed.
        case held(DisplayHandle)
        /// The hold of this name was refused or failed.
        case holdFailed(DisplayHandle, CallFailure)
        /// The person wants another handle.
        case wentBack
        /// The text of the display name has changed to this.
        case typedDisplayName(String)
        /// The person continues from the second step. The key is new each time, and used only for a new claim.
        case submitted(idempotencyKey: String)
        /// The claim with this key succeeded: the person has the name.
        case claimed(DisplayHandle, idempotencyKey: String)
        /// The claim with this key was refused or failed. After a transient failure it is repeated.
        case claimFailed(idempotencyKey: String, CallFailure)
        /// The profile is stored; ignored if it is not the current one.
        case saved(UserProfile)
        /// The profile could not be stored. The save is repeated, unless the person has to sign in.
        case saveFailed(UserProfile, CallFailure)
    }

    /// An action for the model. Each supersedes an earlier effect of its kind, whether that is waiting or running.
    public enum Effect: Sendable, Hashable {
        /// List the names that the person holds and has claimed.
        case list(after: Duration)
        /// Check a text, after a pause.
        case check(String, after: Duration)
        /// Cancel the check and its retries.
        case stopChecking
        /// Hold the name for the person.
        case hold(DisplayHandle)
        /// Claim the name, after a pause, with the `Idempotency-Key` of the claim.
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
