import Foundation
@testable import CookieSessions
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import Sessions

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Log-outs of a cookie session, by the app and by the server, while requests are in progress.
@Suite struct CookieLogOutTests {
    @Test(arguments: [
        "bbuserid=; Max-Age=0; Path=/", "bbuserid=42; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/",
        "bbuserid=deleted; expires=Thu, 01-Jan-70 00:00:01 GMT; path=/", "bbuserid=; Path=/",
    ])
    func cookieEndedByTheServerIsOneRemoteLogOut(_ field: String) async throws {
        try await Forum.run { forum in
            let session = try await forum.loggedIn()
            forum.answer(.init(status: 403, cookies: [field]))
            for _ in 0..<3 { _ = try await session.data(for: forum.request()) }
            #expect(!session.isLoggedIn)
            #expect(forum.remoteLogOuts == 1)
        }
    }

    @Test func hundredAnswersThatEndTheCookieAreOneRemoteLogOut() async throws {
        try await Forum.run { forum in
            let session = try await forum.loggedIn()
            for _ in 0..<100 { forum.answer(.init(cookies: ["bbuserid=; Max-Age=0; Path=/"])) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { _ = try await session.data(for: forum.request()) } }
                try await group.waitForAll()
            }
            #expect(forum.remoteLogOuts == 1)
        }
    }

    /// A request reads the cookie while a log-in sets it.
    @Test func logInDuringOtherRequestsIsNoRemoteLogOut() async throws {
        try await Forum.run { forum in
            for _ in 0..<50 {
                let session = try forum.session()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 { group.addTask { _ = try await session.data(for: forum.request()) } }
                    group.addTask { try await forum.logIn(session) }
                    try await group.waitForAll()
                }
                #expect(session.isLoggedIn)
                await session.logOut()
            }
            #expect(forum.remoteLogOuts == 0)
        }
    }

    @Test func expiredCookieIsNoticedBeforeTheNextRequest() async throws {
        try await Forum.run { forum in
            let time = NIOLockedValueBox(Date())
            let session = try forum.session(now: { time.withLockedValue(\.self) })
            try await forum.logIn(session, cookie: "bbuserid=42; Max-Age=60; Path=/")
            time.withLockedValue { $0 += 61 }
            #expect(!session.isLoggedIn)
            _ = try await session.data(for: forum.request())
            #expect(forum.seen.last?.cookie == nil)
            #expect(forum.remoteLogOuts == 1)
        }
    }

    @Test func remoteLogOutDoesAllStepsInOrderAlthoughOneFails() async throws {
        struct Full: Error {}
        try await Forum.run { forum in
            let (done, events) = (NIOLockedValueBox<[String]>([]), NIOLockedValueBox<[CookieSessionEvent]>([]))
            func step(_ name: String, fails: Bool = false) -> LogoutStep {
                LogoutStep(name) {
                    #expect(forum.remoteLogOuts == 0)
                    done.withLockedValue { $0.append(name) }
                    if fails { throw Full() }
                }
            }
            let session = try forum.session(
                steps: [step("images"), step("data store", fails: true), step("log-in screen")],
                report: { event in events.withLockedValue { $0.append(event) } })
            try await forum.logIn(session)
            forum.answer(.init(cookies: ["bbuserid=; Max-Age=0; Path=/"]))
            _ = try await session.data(for: forum.request())
            #expect(session.facts.facts == nil)
            #expect(done.withLockedValue(\.self) == ["images", "data store", "log-in screen"])
            #expect(forum.remoteLogOuts == 1)
            #expect(
                events.withLockedValue(\.self) == [
                    .logInStarted, .cookieSet, .loggedIn, .cookieRemoved, .loggedOut(.remote),
                    .logOutStepFailed("data store"),
                ])
        }
    }

    @Test func cookiesFactsAndCacheAreClearedBeforeTheSteps() async throws {
        try await Forum.run { forum in
            let request = try forum.request()
            let isCleared = NIOLockedValueBox<Bool?>(nil)
            let (storage, facts) = (forum.storage, forum.facts)
            let step = LogoutStep("images") {
                let isCacheClear = URLCache.shared.cachedResponse(for: request) == nil
                isCleared.withLockedValue {
                    $0 = (storage.cookies ?? []).isEmpty && facts.facts == nil && isCacheClear
                }
            }
            let session = try await forum.loggedIn(steps: [step])
            let response = URLResponse(
                url: try #require(request.url), mimeType: nil, expectedContentLength: 1, textEncodingName: nil)
            URLCache.shared.storeCachedResponse(
                CachedURLResponse(response: response, data: Data([1])), for: request)
            await session.logOut()
            #expect(isCleared.withLockedValue(\.self) == true)
        }
    }

    @Test func lateAnswerOfTheOldSessionChangesNoCookie() async throws {
        try await Forum.run { forum in
            let session = try await forum.loggedIn()
            forum.answer(.init(cookies: ["bbuserid=; Max-Age=0; Path=/", "sid=old; Path=/"]))
            let late = try await forum.held { _ = try await session.data(for: forum.request()) }
            await session.logOut()
            try await forum.logIn(session, cookie: "bbuserid=43; Path=/")
            forum.letGo()
            try await late.value
            #expect(session.loginCookie?.value == "43")
            _ = try await session.data(for: forum.request())
            #expect(forum.seen.last?.cookie == "bbuserid=43")
            #expect(forum.remoteLogOuts == 0)
        }
    }

    /// The server renews the cookie in each answer, and the session ends before this answer arrives.
    @Test func anAnswerAfterARemoteLogOutChangesNoCookie() async throws {
        try await Forum.run { forum in
            let session = try await forum.loggedIn()
            forum.answer(.init(cookies: [Forum.cookie]), .init(cookies: ["bbuserid=; Max-Age=0; Path=/"]))
            let late = try await forum.held { _ = try await session.data(for: forum.request()) }
            _ = try await session.data(for: forum.request())
            forum.letGo()
            try await late.value
            #expect(!session.isLoggedIn)
        }
    }

    /// Otherwise the rest of one person's request would be sent with the next person's cookie.
    @Test func aRedirectIsNotFollowedInTheNextSession() async throws {
        try await Forum.run { forum in
            let session = try await forum.loggedIn()
            forum.answer(.init(status: 307, location: "elsewhere"))
            let late = try await forum.held { _ = try await session.data(for: forum.request()) }
            await session.logOut()
            try await forum.logIn(session, cookie: "bbuserid=43; Path=/")
            forum.letGo()
            await #expect(throws: CookieSessionError.superseded) { try await late.value }
            #expect(!forum.seen.contains { $0.path.hasSuffix("elsewhere") })
        }
    }

    /// The log-in waits five seconds at most.
    @Test(arguments: [true, false]) func aLogInWaitsForTheStepsOfTheLogOutBefore(_ doesStepEnd: Bool) async throws {
        try await Forum.run { forum in
            let (isOpen, clock) = (NIOLockedValueBox(false), ManualClock())
            let step = LogoutStep("data store") {
                try await eventually("the gate is open") { isOpen.withLockedValue(\.self) }
            }
            let session = try forum.session(steps: [step], clock: clock)
            try await forum.logIn(session)
            let logOut = Task { await session.logOut() }
            try await eventually("the cookie is gone") { !session.isLoggedIn }
            let logIn = Task { try await forum.logIn(session) }
            try await eventually("the log-in waits") { clock.sleepers == 1 }
            #expect(forum.seen.count == 1)
            if doesStepEnd { isOpen.withLockedValue { $0 = true } } else { clock.advance(by: .seconds(5)) }
            try await logIn.value
            #expect(session.isLoggedIn)
            isOpen.withLockedValue { $0 = true }
            await logOut.value
        }
    }

    @Test func logOutEndsARunningLogIn() async throws {
        try await Forum.run { forum in
            let session = try forum.session()
            forum.answer(.init(cookies: [Forum.cookie]))
            let late = try await forum.held { try await session.logIn(form: [:], at: "account.php") }
            await session.logOut()
            forum.letGo()
            await #expect(throws: CookieSessionError.superseded) { try await late.value }
            #expect(!session.isLoggedIn)
        }
    }
}
