import Foundation
import HandleClient
import HandleRules
import Onboarding

/// The texts of the pages, in English. A page in another language has another value of this type. `direction` is `rtl`
/// for a language that is written from right to left.
struct PageTexts: Sendable {
    var language = "en"
    var direction = "ltr"

    var site = "Example"
    /// Prefix of the title of a page with a fault. A screen reader reads it first.
    var error = "Error:"
    var problem = "There is a problem"
    var signIn = "Sign in"
    var signOut = "Sign out"
    var signInAgain = "Sign in again"
    var signedInAs: @Sendable (_ account: String) -> String = { "Signed in as \($0)" }
    var endsSoon: @Sendable (_ day: String) -> String = { "You will be signed out on \($0)." }
    var day: @Sendable (Date) -> String = {
        $0.formatted(.dateTime.day().month(.wide).year().locale(Locale(identifier: "en_GB")))
    }
    var step: @Sendable (_ number: Int) -> String = { "Step \($0) of 2" }

    // The welcome page.
    var welcome = "Choose your handle"
    var welcomeText = "A handle is your @name here. Nobody else has the same. Sign in to choose yours."
    var signedOut = "You are signed out."
    var signedOutRemotely =
        "You were signed out by the service that you signed in with. Sign in again; nothing you typed is lost."
    var sessionEnded = "Your session has ended. Sign in again; nothing you typed is lost."
    var signInCancelled = "You cancelled the sign-in."

    // The first step.
    var handleTitle = "Choose a handle"
    var lost: @Sendable (_ display: String) -> String = {
        "Somebody else was faster: \($0) can't be had any more. Choose another; your name is kept."
    }
    /// `{}` is replaced by the character, or by the text.
    var invalidCharacter = "{} can't be in a handle; use a–z, 0–9 and _."
    var space = "A space"
    var checking = "Checking {}…"

    // The second step.
    var nameTitle = "What are you called?"
    var spellingLabel = "Handle, as it is shown"
    var spellingHint: @Sendable (_ display: DisplayHandle) -> String = { display in
        let handle = display.handle.description
        let others = [handle, handle.uppercased()].filter { $0 != display.description }
        return
            "You can change the capitals, for example to \(others.joined(separator: " or ")). To change letters, go back."
    }
    var spellingFault: @Sendable (_ handle: String) -> String = {
        "Only capitals can be changed here: the letters are \($0). To change letters, go back."
    }
    var preview = "People see"
    var claimed = "This handle is yours already. Only your name is missing."

    // The last page.
    var doneTitle: @Sendable (_ display: String) -> String = { "You are @\($0)" }
    var doneText: @Sendable (_ name: String) -> String = { "Welcome, \($0). Your handle is yours alone." }

    // Problems.
    var storeTitle = "We can't read our store just now"
    var storeText = "You are not signed out, and nothing you typed is lost. Try again in a moment."
    var storeFormText = "You are not signed out. Go back to the form, and send it again in a moment."
    var issuerTitle = "We can't reach the sign-in service just now"
    var issuerText = "Try again in a moment. This page goes on by itself when the service is back."
    var refusedTitle = "The sign-in did not work"
    var refusedText =
        "The answer did not fit your sign-in. This happens when a sign-in page was left open for long. Begin again."
    var forbiddenTitle = "This form can't be sent"
    var forbiddenText = "It did not come from a page of your session. Go back, reload the page, and send it again."
    var expiredTitle = "Your session has ended"
    var missingTitle = "There is no such page"
    var faultTitle = "Something went wrong on our side"
    var faultText = "Try again later. Nothing you typed is lost."
    var badTitle = "We can't read this request"
    var badText = "Go back, reload the page, and try again."
    var tryAgain = "Try again"
    var toTheStart = "To the start"

    var onboarding = OnboardingTexts()

    init() {
        let (invalid, space, checking) = (invalidCharacter, space, checking)
        onboarding.malformed = { [malformed = onboarding.malformed] format in
            guard case .invalidCharacter(let character) = format else { return malformed(format) }
            return invalid.replacing("{}", with: Self.name(of: character.scalar, space: space))
        }
        onboarding.checking = { checking.replacing("{}", with: $0) }
    }

    /// The character in quotation marks; only its code point if it is invisible or changes the text around it, such as
    /// a direction control.
    private static func name(of scalar: Unicode.Scalar, space: String) -> String {
        switch scalar.properties.generalCategory {
        case _ where scalar == " ": space
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol,
            .otherSymbol:
            "‘\(scalar)’"
        default: "U+" + String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4)
        }
    }

    private struct Script: Encodable {
        let texts: [String: String]
        /// For one suggestion, two, and so on.
        let suggestionsBelow: [String]
    }

    /// The texts of `handle-field.js`, as JSON. `{}` is replaced by the text or the character.
    var script: String {
        let onboarding = onboarding
        let texts = [
            "empty": onboarding.handleMissing, "checking": checking, "unknown": onboarding.unknown,
            "available": onboarding.available("{}"),
            "too_short": onboarding.malformed(.tooShort), "too_long": onboarding.malformed(.tooLong),
            "leading_underscore": onboarding.malformed(.leadingUnderscore),
            "all_digits": onboarding.malformed(.allDigits), "invalid_character": invalidCharacter, "space": space,
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let script = Script(texts: texts, suggestionsBelow: (1...5).map { onboarding.suggestionsBelow($0) })
        guard let data = try? encoder.encode(script) else { preconditionFailure("strings are JSON") }
        return String(decoding: data, as: UTF8.self)
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}
