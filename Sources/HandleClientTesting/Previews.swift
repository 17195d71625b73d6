public import HandleClient
public import HandleRules
public import Onboarding

import struct Foundation.URL

extension RegistryClient {
    /// A client of a registry in memory.
    /// - Parameter person: any word that tells the people of a test apart.
    public init(_ registry: MemoryRegistry, person: String = "jane") {
        self.init(
            base: URL(string: "https://registry.example") ?? URL(filePath: "/"),
            credential: .person { _ in person }, transport: registry)
    }
}

extension HandleAvailability {
    /// An answer as the service gives it. It is `.invalid` for a malformed text, and `.available` without reasons.
    public static func prepared(
        _ input: String, reasons: [Reason] = [], suggestions: [String] = []
    ) -> HandleAvailability {
        HandleAvailability(
            input, reasons: reasons.map { HandleReason($0) },
            suggestions: suggestions.compactMap { text in
                Reading(folding: text).display.map { HandleSuggestion($0, method: "affix") }
            })
    }
}

extension HandleField {
    /// A field that shows an answer at once, for a preview: "taken" with its suggestions is one line.
    public static func preview(_ answer: HandleAvailability, texts: OnboardingTexts = OnboardingTexts()) -> HandleField
    {
        var machine = HandleFieldMachine()
        _ = machine.receive(.typed(answer.input))
        _ = machine.receive(.left)
        _ = machine.receive(.checked(answer))
        let field = HandleField(validator: HandleValidator(apiClient: RegistryClient(MemoryRegistry())), texts: texts)
        field.show(machine)
        return field
    }
}
