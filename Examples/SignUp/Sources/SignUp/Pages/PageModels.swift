import HandleClient
import HandleRules
import Onboarding

// The data of the templates: one type for each page.

struct WelcomePage: Sendable {}

struct HandlePage: Sendable {
    let step: String
    let label: String
    let hint: String
    let text: String
    /// The message beside the field.
    let message: String
    /// The state of the element `<handle-field>`. With one that is not decided, the script checks the text.
    let state: String
    let isInvalid: Bool
    /// The summary at the top of the page; nil unless the form was refused.
    let fault: String?
    let suggestions: [String]
    let suggestionsLabel: String
    let next: String
    let script: String

    /// - Parameters:
    ///   - field: the field after its check.
    ///   - fault: the text of the summary.
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
            (state, isInvalid) = ("available", false)
        case .unavailable:
            (state, isInvalid) = ("unavailable", true)
        case .malformed, .empty:
            (state, isInvalid) = (message.isEmpty ? "empty" : "malformed", !message.isEmpty)
        case .checking, .unknown:
            (state, isInvalid) = ("unknown", false)
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
    /// The input for the capitals; nil when they can't be changed here.
    let spelling: Spelling?
    /// The notice that the handle is claimed already; nil when it is not.
    let claimed: String?
    /// Whether the script repeats the request.
    let isRepeated: Bool
    let canGoBack: Bool
    let next: String
    let back: String

    struct Spelling: Sendable {
        let label: String
        let hint: String
        let typed: String
        let fault: String?
        /// The script's message when the letters differ from the handle's.
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
    /// The address that the script requests until it succeeds. Then the page goes to `link`.
    var again: String?
}
