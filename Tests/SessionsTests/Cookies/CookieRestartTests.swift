import Foundation
import TestSupport
import Testing

@testable import Sessions

/// A cookie session over several starts of a program.
@Suite struct CookieRestartTests {
    private let home = TemporaryFolder.make("home")

    @Test func theNextStartFindsTheCookieAndTheFacts() async throws {
        try await Forum.run { forum in
            forum.answer(.init(cookies: ["bbuserid=42; Max-Age=3600; Path=/"]))
            #expect(try await Probe.run(["log-in", forum.base.absoluteString], home: home).status == 0)
            let next = try await Probe.run(["restore", forum.base.absoluteString], home: home)
            #expect(next.lines == ["true jane"], "\(next)")
            #if canImport(FoundationNetworking)
            // The cookies are readable by this user only.
            let data = home + "/.local/share"
            let folders = try FileManager.default.contentsOfDirectory(atPath: data)
            let folder = "\(data)/\(try #require(folders.first))"
            #expect(folders.count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [".cookies.shared"])
            let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
            #expect(mode == 0o700)
            #endif
        }
    }

    /// A cookie without an expiry lasts until the program ends. The facts are stored, so the next start notices the
    /// log-out.
    @Test func theNextStartNoticesACookieThatHasEnded() async throws {
        try await Forum.run { forum in
            forum.answer(.init(cookies: ["bbuserid=42; Path=/"]))
            #expect(try await Probe.run(["log-in", forum.base.absoluteString], home: home).status == 0)
            for lines in [["loggedOut(Sessions.SignOutReason.remote)", "false nobody"], ["false nobody"]] {
                let next = try await Probe.run(["restore", forum.base.absoluteString], home: home)
                #expect(next.lines == lines, "\(next)")
            }
        }
    }
}
