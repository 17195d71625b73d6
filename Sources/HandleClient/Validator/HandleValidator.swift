import Debouncing
import HandleRules

/// Checks a name during typing: its form at once, and its availability after a pause.
///
/// One validator belongs to one field.
///
/// ```swift
/// let validator = HandleValidator(apiClient: RegistryClient(base: url))
/// let answer = try await validator.checkAvailability("JaneRoe")
/// print(answer.available, answer.reasons.map(\.message), answer.suggestions)
/// ```
public actor HandleValidator {
    private let client: RegistryClient
    private let name: String?
    private let suggestions: Int?
    private let debounce:
        @Sendable (@escaping @Sendable () async throws -> HandleAvailability) async throws -> HandleAvailability

    /// - Parameters:
    ///   - apiClient: makes the calls.
    ///   - pause: how long after the last keystroke the request is sent.
    ///   - name: the person's name, used for suggestions.
    ///   - suggestions: how many to return, 0 to 20; nil for five when the name is unavailable.
    ///   - clock: measures the pause.
    public init(
        apiClient: RegistryClient, pause: Duration = .milliseconds(300), name: String? = nil, suggestions: Int? = nil,
        clock: any Clock<Duration> = .continuous
    ) {
        client = apiClient
        self.name = name
        self.suggestions = suggestions
        debounce = Self.debouncing(pause, clock)
    }

    private static func debouncing<C: Clock<Duration>>(
        _ pause: Duration, _ clock: C
    ) -> @Sendable (@escaping @Sendable () async throws -> HandleAvailability) async throws -> HandleAvailability {
        let debouncer = Debouncer<Field, C>(pause: pause, clock: clock)
        return { work in try await debouncer.run(Field(), work) }
    }

    /// The only key: a validator has one field.
    private struct Field: Hashable {}

    /// Checks the rules of form, without the service. ``HandleFormatValidation/init(_:)`` does the same outside an
    /// actor.
    public func validateFormat(_ handle: String) -> HandleFormatValidation { HandleFormatValidation(handle) }

    /// Checks whether the name is available, after a pause without a newer call. No request is sent for a malformed
    /// name.
    /// - Throws: `DebouncingError.superseded` as soon as a newer call arrives, so no answer follows a newer one;
    ///   ``HandleClientError`` when the service has no answer, which says nothing about the name; `CancellationError`.
    public func checkAvailability(_ handle: String) async throws -> HandleAvailability {
        let (client, name, suggestions) = (client, name, suggestions)
        return try await debounce {
            if let malformed = HandleAvailability(malformed: handle) { return malformed }
            return try await client.availability(of: handle, name: name, suggestions: suggestions)
        }
    }
}
