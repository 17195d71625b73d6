import Debouncing
import Foundation
import HandleClient
import HandleRules
import NIOConcurrencyHelpers
import TestService
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct HandleValidatorTests {
    private let clock = ManualClock()

    private func validator(_ transport: ScriptedTransport) throws -> HandleValidator {
        try HandleValidator(
            apiClient: RegistryClient(
                base: #require(URL(string: "https://handles.example")), transport: transport, clock: clock),
            clock: clock)
    }

    @Test(arguments: [
        ("janeroe", HandleFormatValidation.valid), ("@JaneRoe", .valid), (" ｊａｎｅ ", .valid), ("ja", .tooShort),
        ("", .tooShort),
        (String(repeating: "a", count: 16), .tooLong), ("_jane", .leadingUnderscore), ("1234", .allDigits),
        ("jane.roe", .invalidCharacter(InvalidCharacter(scalar: ".", offset: 4, name: "FULL STOP"))),
        (
            "j\u{430}ne",
            .invalidCharacter(InvalidCharacter(scalar: "\u{430}", offset: 1, name: "CYRILLIC SMALL LETTER A"))
        ),
    ])
    func formatValidationNamesTheFirstBrokenRule(_ typed: String, _ expected: HandleFormatValidation) async throws {
        let transport = ScriptedTransport { .available($1) }
        #expect(try await validator(transport).validateFormat(typed) == expected)
        #expect(HandleFormatValidation(typed) == expected)
        #expect(transport.seen.isEmpty)
    }

    /// Twelve keystrokes, 80 ms apart on a manual clock.
    @Test func availabilityOfAQuicklyTypedWordIsCheckedOnce() async throws {
        let transport = ScriptedTransport { .available($1) }
        let validator = try validator(transport)
        let word = "janeroe12345"
        var checks: [Task<HandleAvailability, any Error>] = []
        for length in 1...word.count {
            if length > 1 { clock.advance(by: .milliseconds(80)) }
            checks.append(Task { try await validator.checkAvailability(String(word.prefix(length))) })
            try await eventually("key \(length) waits for the pause, alone") { clock.pauses == [.milliseconds(300)] }
            for superseded in checks.dropLast() {
                await #expect(throws: DebouncingError.superseded) { try await superseded.value }
            }
        }
        clock.advance(by: .milliseconds(299))
        #expect(transport.seen.isEmpty)
        clock.advance(by: .milliseconds(1))
        let answer = try await checks[11].value
        #expect(answer.available && answer.input == word)
        #expect(transport.seen.map { $0[query: "handle"] } == [word])
    }

    @Test func malformedNameSupersedesTheCheckBeforeWithoutACall() async throws {
        let transport = ScriptedTransport { .available($1) }
        let validator = try validator(transport)
        let good = Task { try await validator.checkAvailability("jane") }
        try await eventually("it waits") { clock.pauses == [.milliseconds(300)] }
        let bad = Task { try await validator.checkAvailability("jane.") }
        await #expect(throws: DebouncingError.superseded) { try await good.value }
        try await eventually("the second one waits") { clock.pauses == [.milliseconds(300)] }
        clock.advance(by: .milliseconds(300))
        let answer = try await bad.value
        #expect(answer.status == .invalid && !answer.available && answer.handle == nil)
        #expect(answer.reasons.map(\.code) == [.invalidCharacter])
        #expect(answer.reasons.map(\.message) == ["'.' (FULL STOP) can't be in a handle; use a–z, 0–9 and _."])
        #expect(transport.seen.isEmpty)
    }
}
