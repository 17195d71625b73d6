public import HandleClient
public import HandleRules

extension OnboardingMachine {
    /// The current step with its details: up to `unknown` that of the field, then that of the held or claimed name.
    public enum State: Sendable, Hashable {
        /// No name is typed.
        case empty
        /// The typed name breaks a rule of form.
        case malformed(HandleFormatValidation)
        /// The name is well formed, and the service has not answered yet.
        case checking
        /// The service has answered that the name is available.
        case available(HandleAvailability)
        /// The name is unavailable. Suggestions may arrive later than the reasons.
        case unavailable(reasons: [HandleReason], suggestions: [HandleSuggestion])
        /// The check has failed, which says nothing about the name.
        case unknown
        /// The name is held, and no display name is typed.
        case held(DisplayHandle)
        /// The name is held, and a display name is typed.
        case displayName(DisplayHandle)
        /// The person has the name, and the profile is not stored yet.
        case claimed(DisplayHandle)
        /// The profile is stored.
        case done(UserProfile)
    }

    /// A request that the person waits for.
    public enum Work: Sendable, Hashable {
        /// A hold of this name.
        case holding(DisplayHandle)
        /// The claim, or the list of the person's names before it.
        case claiming
        /// The save of the profile.
        case saving
    }

    /// A claim without an answer so far.
    public struct Claim: Sendable, Hashable {
        /// The name to claim, with its capitals.
        public let display: DisplayHandle
        /// The same for all repetitions, so that the claim takes effect once.
        public let idempotencyKey: String
    }
}
