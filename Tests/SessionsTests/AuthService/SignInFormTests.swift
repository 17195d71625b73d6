import NIOConcurrencyHelpers
import Sessions
import TestSupport
import Testing

@MainActor @Suite struct SignInFormTests {
    @Test func theStateFollowsTheTypedText() async {
        let form = SignInForm { _, password in
            if password == "wrong" { throw SessionError.refused(code: "invalid_grant") }
        }
        #expect(form.state == .awaitingUsername && !form.canSubmit)
        form.username = "jane"
        #expect(form.state == .awaitingPassword && !form.canSubmit)
        form.password = "wrong"
        #expect(form.state == .canAttemptLogin && form.canSubmit)
        await form.attemptLogin()
        #expect(form.state == .failedLogin && form.canSubmit)
        #expect(form.error as? SessionError == .refused(code: "invalid_grant"))
        form.password = "right"
        #expect(form.state == .canAttemptLogin && form.error == nil)
        await form.attemptLogin()
        #expect(form.state == .awaitingPassword && form.password.isEmpty)
    }

    @Test func attemptsNeverOverlapAndCancellingOneFreesTheButton() async throws {
        let attempts = NIOLockedValueBox(0)
        let form = SignInForm { _, _ in
            attempts.withLockedValue { $0 += 1 }
            try await Task.sleep(for: .seconds(3_600))
        }
        form.username = "jane"
        form.password = "secret"
        let attempt = Task { await form.attemptLogin() }
        try await eventually("it is under way") { form.state == .attemptingLogin }
        #expect(!form.canSubmit)
        await form.attemptLogin()
        attempt.cancel()
        await attempt.value
        #expect(form.state == .failedLogin && form.canSubmit)
        #expect(attempts.withLockedValue { $0 } == 1)
    }
}
