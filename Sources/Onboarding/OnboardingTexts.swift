public import HandleClient
import HandleRules

/// The texts of the onboarding for people: labels, hints, messages and announcements, in English. For another language
/// or other words, change the members.
public struct OnboardingTexts: Sendable {
    // The handle.
    /// The label of the field for the handle.
    public var handleLabel = "Handle"
    /// The rules of a handle, below the field.
    public var handleHint = "3 to 15 letters, digits and underscores. You can choose capitals."
    /// The message of an empty field, once the person has tried to continue.
    public var handleMissing = "Type a handle."
    /// The message while the service checks the typed text.
    public var checking: @Sendable (_ typed: String) -> String = { "Checking \($0)…" }
    /// The message for an available name, which has its capitals.
    public var available: @Sendable (_ display: String) -> String = { "\($0) is available." }
    /// The message after a failed check.
    public var unknown = "We can't check this name just now. You can continue; we check it again then."
    /// The message for a broken rule of form; empty for a valid name.
    public var malformed: @Sendable (HandleFormatValidation) -> String = { OnboardingTexts.english(for: $0) }
    /// The reason why a name is unavailable. The default is the message of the service. For `owner_locked` and
    /// `too_many_changes` it is a sentence with the end of the lock or of the wait.
    public var reason: @Sendable (HandleReason) -> String = { $0.sentence }
    /// The label of the list of suggestions.
    public var suggestionsLabel = "Free names like it"
    /// Follows the reason, for people who can't see the list.
    public var suggestionsBelow: @Sendable (_ count: Int) -> String = { count in
        count == 1 ? "1 free name like it is listed below." : "\(count) free names like it are listed below."
    }

    // The display name.
    /// The label of the field for the display name.
    public var displayNameLabel = "Name"
    /// Below the field for the display name.
    public var displayNameHint = "How people call you. You can change it later."
    /// The message for a broken rule of a display name.
    public var displayNameFault: @Sendable (DisplayName.Fault) -> String = { fault in
        switch fault {
        case .empty: "Type your name."
        case .tooLong(let length): "A name has at most \(DisplayName.longest) characters; this has \(length)."
        case .controlCharacter: "A name can't have control characters; remove them."
        }
    }

    // The buttons, and messages about requests.
    /// The button to the next step.
    public var next = "Continue"
    /// The button to the step before.
    public var back = "Back"
    /// The message while the person waits for a request.
    public var waiting = "One moment…"
    /// The message at the end, for a handle with its capitals and without `@`.
    public var done: @Sendable (_ display: String) -> String = { "You are @\($0)." }
    /// The message for a failed request that is repeated without the person.
    public var unreachable = "We can't reach the service just now. We try again by ourselves."
    /// The message for a failed request that the person may repeat.
    public var tryAgain = "We can't reach the service just now. Try again."
    /// The message when the session has ended.
    public var signInAgain = "Your session has ended. Sign in again; nothing you typed is lost."
    /// The message when the registry does not accept the app's tokens.
    public var misconfigured: @Sendable (CallFailure.Misconfiguration) -> String = { reason in
        let cause =
            switch reason {
            case .tokensNotAccepted: "The service for handles is not set up for sign-ins yet."
            case .unknownIssuer: "The service for handles does not know the service that you signed in with."
            case .newTokenRejected: "The service for handles does not accept your sign-in, although it is new."
            }
        return cause + " This is a fault on our side, and signing in again does not help. Try again later."
    }
    /// The message for a failure that a repetition does not solve.
    public var fault = "Something went wrong on our side. Try again later."

    /// The texts in English.
    public init() {}

    private static func english(for format: HandleFormatValidation) -> String {
        let (least, most) = (Rules.length.lowerBound, Rules.length.upperBound)
        return switch format {
        case .valid: ""
        case .tooShort: "A handle has at least \(least) characters."
        case .tooLong: "A handle has at most \(most) characters."
        case .invalidCharacter(let character): Reason.invalidCharacter(character).message
        case .leadingUnderscore: Reason.leadingUnderscore.message
        case .allDigits: Reason.allDigits.message
        }
    }
}

extension OnboardingTexts {
    /// The message beside the field; nil when there is none.
    public func message(for field: HandleFieldMachine) -> String? {
        switch field.state {
        case .empty: field.hasLeft ? handleMissing : nil
        // The rest may still be typed.
        case .malformed(.tooShort) where !field.hasLeft: nil
        case .malformed(let format): malformed(format)
        case .checking: checking(field.text)
        case .available(let answer): available(answer.display?.description ?? answer.input)
        case .unavailable(let reasons, _): reasons.map(reason).joined(separator: " ")
        case .unknown: unknown
        }
    }

    /// The announcement for a screen reader after a pause in typing; nil when there is none yet.
    public func announcement(for field: HandleFieldMachine) -> String? {
        switch field.state {
        case .checking: nil
        case .unavailable(_, let suggestions) where !suggestions.isEmpty:
            [message(for: field), suggestionsBelow(suggestions.count)].compactMap(\.self).joined(separator: " ")
        case .empty, .malformed, .available, .unavailable, .unknown: message(for: field)
        }
    }

    /// The message for a failed request.
    public func message(for failure: CallFailure, isRepeated: Bool) -> String {
        switch failure {
        case .refused(let reasons): reasons.map(reason).joined(separator: " ")
        case .passing: isRepeated ? unreachable : tryAgain
        case .signedOut: signInAgain
        case .misconfigured(let reason): misconfigured(reason)
        case .lasting: isRepeated ? unreachable : fault
        }
    }
}
