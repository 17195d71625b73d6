import HTTPLoading
public import HandleClient
import HandleRules
public import Observation

/// The model of a field for typing a handle, with its texts for the screen and for screen readers. For a sign-up, a
/// rename, or any other form.
///
/// ```swift
/// let field = HandleField(validator: HandleValidator(apiClient: registry))
/// field.text = "JaneRoe"
/// print(field.message ?? field.hint, field.suggestions)
/// ```
@Observable @MainActor public final class HandleField {
    /// How long after the last keystroke a screen reader gets an announcement. Earlier, it would talk over the echo of
    /// the keys.
    public static let announcementPause = Duration.seconds(1)

    /// The complete state; the other members derive from it.
    public private(set) var machine = HandleFieldMachine()
    /// A sentence for a screen reader, as the content of a live region; empty during typing. It is true at the time it
    /// is set.
    public private(set) var announcement = ""
    /// The texts for people, as given.
    public let texts: OnboardingTexts

    @ObservationIgnored private let validator: HandleValidator
    @ObservationIgnored private let timing: Timing
    @ObservationIgnored private let check = Slot()
    @ObservationIgnored private let quiet = Slot()
    /// Whether the last keystroke is more recent than the pause.
    @ObservationIgnored private var isQuiet = false
    /// Receives the events instead of this model, which then shows a part of a larger machine.
    @ObservationIgnored private var owner: (@MainActor (HandleFieldMachine.Event) -> Void)?

    /// - Parameters:
    ///   - validator: used by this field only.
    ///   - texts: the texts for people.
    ///   - clock: measures pauses.
    public init(
        validator: HandleValidator, texts: OnboardingTexts = OnboardingTexts(), clock: any Clock<Duration> = .continuous
    ) {
        self.validator = validator
        self.texts = texts
        timing = Timing(clock)
    }

    /// The text of the field. Each change is checked.
    public var text: String {
        get { machine.text }
        set { receive(.typed(newValue)) }
    }

    /// The state of the current text.
    public var state: HandleFieldMachine.State { machine.state }
    /// The canonical handle; nil when the text is malformed.
    public var handle: String? { machine.display?.handle.description }
    /// The handle with its capitals.
    public var displayHandle: String? { machine.display?.description }
    /// Whether the service has answered that the name is available. A form may continue without it, because a hold
    /// decides.
    public var isValid: Bool { if case .available = machine.state { true } else { false } }
    /// Available names to offer in its place.
    public var suggestions: [HandleSuggestion] {
        if case .unavailable(_, let suggestions) = machine.state { suggestions } else { [] }
    }

    /// The label of the field.
    public var label: String { texts.handleLabel }
    /// The rules in a sentence, to show while there is no ``message``.
    public var hint: String { texts.handleHint }
    /// The message beside the field; nil when there is none.
    public var message: String? { texts.message(for: machine) }
    /// Whether the message is about a fault of the text.
    public var isFaulty: Bool {
        switch machine.state {
        case .malformed, .unavailable: message != nil
        case .empty, .checking, .available, .unknown: false
        }
    }

    /// The person has chosen a suggestion: it becomes the text and is checked.
    public func choose(_ suggestion: HandleSuggestion) { text = suggestion.display.description }

    /// The person has left the field.
    public func leave() { receive(.left) }

    func receive(_ event: HandleFieldMachine.Event) {
        if let owner { return owner(event) }
        var next = machine
        let effects = next.receive(event)
        show(next)
        for effect in effects { perform(effect) }
    }

    /// Makes this model show a machine that is owned elsewhere; `receive` gets the events.
    func follow(_ receive: @escaping @MainActor (HandleFieldMachine.Event) -> Void) { owner = receive }

    package func show(_ next: HandleFieldMachine) {
        guard next != machine else { return }
        let hasTyped = !next.text.isSame(as: machine.text)
        let hasNews = next.state != machine.state || next.hasLeft != machine.hasLeft
        machine = next
        if hasTyped {
            announceLater()
        } else if hasNews, !isQuiet {
            announcement = texts.announcement(for: machine) ?? ""
        }
    }

    private func announceLater() {
        announcement = ""
        isQuiet = true
        quiet.run { [weak self, timing] in
            try? await timing.sleep(Self.announcementPause)
            // A keystroke may have begun another pause.
            guard !Task.isCancelled, let self else { return }
            isQuiet = false
            announcement = texts.announcement(for: machine) ?? ""
        }
    }

    func perform(_ effect: HandleFieldMachine.Effect) {
        switch effect {
        case .stopChecking: check.cancel()
        case .check(let text, let pause):
            check.run { [weak self, validator, timing] in
                do {
                    if pause > .zero { try await timing.sleep(pause) }
                    let answer = try await validator.checkAvailability(text)
                    guard !Task.isCancelled else { return }
                    self?.receive(.checked(answer))
                } catch {
                    // Another check has superseded it.
                    guard !Task.isCancelled else { return }
                    self?.receive(.checkFailed(text, CallFailure(error)))
                }
            }
        }
    }
}
