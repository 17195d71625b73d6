import Onboarding
import Sessions
import TestSupport
import Testing

@MainActor @Suite struct SignInAttemptTests {
    @Test func anErrorStaysUntilTheNextAttempt() async {
        let attempt = SignInAttempt()
        await attempt.run { throw SessionError.answerLost }
        #expect(attempt.error as? SessionError == .answerLost)
        await attempt.run {
            #expect(attempt.isRunning && attempt.error == nil)
        }
        #expect(!attempt.isRunning && attempt.error == nil)
    }

    @Test func closingTheSheetAndANewerSignInAreNoErrors() async {
        let attempt = SignInAttempt()
        for error in [CancellationError(), SessionError.cancelled, SessionError.superseded] as [any Error] {
            await attempt.run { throw error }
            #expect(!attempt.isRunning && attempt.error == nil)
        }
    }

    @Test func attemptsNeverOverlap() async throws {
        let attempt = SignInAttempt()
        let first = Task { await attempt.run { try await Task.sleep(for: .seconds(3_600)) } }
        try await eventually("it is under way") { attempt.isRunning }
        await attempt.run { Issue.record("a second attempt began") }
        first.cancel()
        await first.value
        #expect(!attempt.isRunning && attempt.error == nil)
    }
}
