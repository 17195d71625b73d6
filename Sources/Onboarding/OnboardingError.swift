public import Foundation
public import HandleClient

/// The reason why a profile can't be created, or a sign-in can't begin.
///
/// ``code`` says what happened, ``description`` is for logs, and `localizedDescription` is a sentence for the person in
/// English.
public struct OnboardingError: LocalizedError, Hashable {
    /// The kind of the failure.
    public let code: Code
    public let description: String
    /// A sentence for the person, in English.
    public let errorDescription: String?
    /// The handle that the person has already, with its capitals; nil for other errors.
    public let handle: String?

    private init(_ code: Code, _ description: String, _ sentence: String, handle: String? = nil) {
        self.code = code
        self.description = description
        errorDescription = sentence
        self.handle = handle
    }

    /// The kind of a failure. Versions may add codes, so a `switch` over a code needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// No person is signed in.
        public static let notSignedIn = Code("not_signed_in")
        /// The identity token has no subject; set `userID` of the configuration.
        public static let noSubject = Code("no_subject")
        /// The configuration has no `appleSheet`.
        public static let noAppleSheet = Code("no_apple_sheet")
        /// The text is not a handle.
        public static let malformedHandle = Code("malformed_handle")
        /// The display handle differs from the handle by more than capitals.
        public static let displayMismatch = Code("display_mismatch")
        /// The display name is empty, too long, or has control characters.
        public static let malformedDisplayName = Code("malformed_display_name")
        /// The person already has ``OnboardingError/handle``, perhaps by an earlier call with a lost answer. Call again
        /// with it, or rename it.
        public static let hasHandle = Code("has_handle")
    }
}

extension OnboardingError: CustomStringConvertible {
    /// The error with the code ``Code/notSignedIn``.
    public static let notSignedIn = OnboardingError(
        .notSignedIn, "no person is signed in", "You are signed out. Sign in to continue.")
    /// The error with the code ``Code/noSubject``.
    public static let noSubject = OnboardingError(
        .noSubject, "the identity token has no subject; set userID of the configuration", fault)
    /// The error with the code ``Code/noAppleSheet``.
    public static let noAppleSheet = OnboardingError(
        .noAppleSheet, "the configuration has no appleSheet",
        "This way to sign in is not available. Choose another one.")
    /// The error with the code ``Code/displayMismatch``.
    public static let displayMismatch = OnboardingError(
        .displayMismatch, "the display handle differs from the handle by more than capitals",
        "The handle and its capitals are two different names.")

    /// - Parameter format: the rule that the text breaks.
    public static func malformedHandle(_ format: HandleFormatValidation) -> OnboardingError {
        OnboardingError(.malformedHandle, "malformed handle: \(format)", OnboardingTexts().malformed(format))
    }

    /// - Parameter fault: the rule that the display name breaks.
    public static func malformedDisplayName(_ fault: DisplayName.Fault) -> OnboardingError {
        OnboardingError(
            .malformedDisplayName, "malformed display name: \(fault)", OnboardingTexts().displayNameFault(fault))
    }

    /// - Parameter display: the handle of the person.
    public static func hasHandle(_ display: String) -> OnboardingError {
        OnboardingError(
            .hasHandle, "the person has the handle \(display)",
            "You already have the handle @\(display). Continue with it, or change it in your profile.",
            handle: display)
    }

    private static let fault = "Signing in failed because of a fault on our side. Try again later."
}
