public import HandleClient
public import HandleRules

extension OnboardingMachine {
    public enum State: Sendable, Hashable {
        /// No name is typed.
        case empty
        case malformed(HandleFormatValidation)
        case checking
        case available(HandleAvailability)
        case unavailable(reasons: [HandleReason], suggestions: [HandleSuggestion])
        case unknown
        /// The name is held, and no display name is typed.
        case held(DisplayHandle)
        /// The name is held, and a display name is typed.
        case displayName(DisplayHandle)
        /// The person has the name, and the profile is not stored yet.
        case claimed(DisplayHandle)
        case done(UserProfile)
    }

    /// A request that the person waits for.
    public enum Work: Sendable, Hashable {
        case holding(DisplayHandle)
        case claiming
        case saving
    }

    /// A claim without an answer so far.
    public struct Claim: Sendable, Hashable {
        public let display: DisplayHandle
        public let idempotencyKey: String
    }
}
