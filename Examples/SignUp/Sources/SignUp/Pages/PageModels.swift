import HandleClient
import HandleCore
import Onboarding

// What the templates show, one type each.

struct WelcomePage: Sendable {}

struct HandlePage: Sendable {
    let step: String
    let label: String
    let hint: String
    let text: String
    /// What is said beside the field, and how: `good`, `bad` or `plain`.
    let message: String
    let tone: String
    let isInvalid: Bool
    /// What is said on top, when the form was refused.
    let fault: String?
    let suggestions: [String]
    let suggestionsLabel: String
    /// The text that the message is about, so that the script doesn't ask again; nil when the service was not asked.
    let checked: String?
    let next: String
    let script: String

    /// - Parameters:
    ///   - field: the field after its check.
    ///   - fault: what the summary says.
    init(_ field: HandleFieldMachine, fault: String? = nil, texts: PageTexts) {
        let own = texts.onboarding
        step = texts.step(1)
        label = own.handleLabel
        hint = own.handleHint
        next = own.next
        suggestionsLabel = own.suggestionsLabel
        script = texts.script
        text = field.text
        message = own.message(for: field) ?? ""
        self.fault = fault
        switch field.state {
        case .available:
            (tone, isInvalid, checked) = ("good", false, field.text)
        case .unavailable:
            (tone, isInvalid, checked) = ("bad", true, field.text)
        case .malformed, .empty:
            (tone, isInvalid, checked) = ("bad", !message.isEmpty, nil)
        case .checking, .unknown:
            (tone, isInvalid, checked) = ("plain", false, nil)
        }
        if case .unavailable(_, let names) = field.state {
            suggestions = names.map(\.display.description)
        } else {
            suggestions = []
        }
    }
}

struct NamePage: Sendable {
    let step: String
    let nameLabel: String
    let nameHint: String
    let name: String
    let nameFault: String?
    /// The handle as it is shown.
    let display: String
    let handle: String
    /// The form of the capitals; nil when they can't be changed here.
    let spelling: Spelling?
    /// That the handle is the person's already.
    let claimed: String?
    /// Whether the page tries again by itself.
    let isRepeated: Bool
    let canGoBack: Bool
    let next: String
    let back: String

    struct Spelling: Sendable {
        let label: String
        let hint: String
        let typed: String
        let fault: String?
        /// What is wrong when other letters are typed.
        let mismatch: String
    }

    var hasFault: Bool { nameFault != nil || spelling?.fault != nil }
}

struct DonePage: Sendable {
    let text: String
}

struct ProblemPage: Sendable {
    let text: String
    let link: String
    let linkText: String
    /// Asked by the script until it succeeds; then the page goes to `link`.
    var again: String?
}
