import CookieSessions
import Foundation
import Sessions
import Testing

/// The texts of errors for people.
@Suite struct ErrorTests {
    private static let sessions: [SessionError] = [
        .signedOut, .noRefreshToken, .newTokenRejected, .timedOut, .superseded, .cancelled, .answerLost, .unsupported,
        .refused(code: "invalid_grant"), .refused(code: "access_denied"), .refused(code: "x"),
        .unreachable(retryAfter: nil), .unreachable(retryAfter: .seconds(5)), .misconfigured("set the issuer"),
        SessionError(.storeUnreadable, "can't read /x"), SessionError(.storeDamaged, "no JSON"),
        SessionError(.notSaved, "ENOSPC"), SessionError(.notCleared, "EROFS"), SessionError(.notLocked, "ENOLCK"),
    ]
    private static let cookies: [CookieSessionError] = [
        .refused(status: 200), .unreachable, .superseded, .tooManyRedirects, .cancelled, .misconfigured("use https"),
    ]

    @Test(arguments: sessions.map(\.localizedDescription) + cookies.map(\.localizedDescription))
    func everyErrorHasASentenceForThePerson(_ text: String) {
        #expect(text.first?.isUppercase == true && text.hasSuffix(".") && text.contains(" "))
        #expect(!text.contains("Error") && !text.contains("_") && text.count <= 130)
    }

    @Test func refusalsOfTheTokenSayDifferentThings() {
        let texts = [SessionError.signedOut, .noRefreshToken, .newTokenRejected].map(\.localizedDescription)
        #expect(Set(texts).count == 3)
        #expect(texts[2].contains("does not help"))
    }

    @Test func pauseIsInTheSentence() {
        func sentence(_ pause: Duration) -> String { SessionError.unreachable(retryAfter: pause).localizedDescription }
        #expect(sentence(.milliseconds(900)).hasSuffix("Try again."))
        #expect(sentence(.milliseconds(4_200)).hasSuffix("in 5 seconds."))
        #expect(sentence(.seconds(121)).hasSuffix("in 3 minutes."))
    }
}
