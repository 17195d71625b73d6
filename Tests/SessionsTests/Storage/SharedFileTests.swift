import Foundation
import Sessions
import TestIssuer
import TestSupport
import Testing
import OpenIDSessions
import FileSessionStorage

/// Several programs with one file and one issuer.
@Suite struct SharedFileTests {
    private let folder = URL(fileURLWithPath: TemporaryFolder.make("sessions"))
    private var storage: FileStorage { FileStorage(folder: folder) }

    /// The number of refreshes of each program: `HANDLES_TEST_EXPIRIES`, such as 500; 50 by default.
    private static let expiries = environment("HANDLES_TEST_EXPIRIES") ?? 50
    private static let kills = environment("HANDLES_TEST_KILLS") ?? 15

    private static func environment(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private func signIn(at issuer: Issuer) async throws {
        let backend = try OpenIDBackend(issuer)
        let controller = SessionController(storage: storage, backend: backend)
        try await controller.beginSession(with: try await backend.signIn("jane", at: issuer))
    }

    /// The issuer has no grace, so a refresh token that is used twice ends the session.
    @Test(.timeLimit(.minutes(10))) func twoProgramsUseEachRefreshTokenOnce() async throws {
        try await Issuer.run { issuer in
            try await signIn(at: issuer)
            let arguments = ["renew", folder.path, issuer.url.absoluteString, "\(Self.expiries)"]
            async let one = Probe.run(arguments)
            async let two = Probe.run(arguments)
            for probe in try await [one, two] {
                #expect(probe.status == 0 && probe.lines.last == "authenticated", "\(probe)")
                #expect(Set(probe.lines).count == Self.expiries + 1, "each token differs from the one before")
            }
            let counts = await issuer.counts
            #expect(counts.reuses == 0 && counts.refreshes >= Self.expiries, "\(counts)")
        }
    }

    /// The killed program may have used the refresh token without saving the new one. The next program sends the old
    /// one again.
    @Test(.timeLimit(.minutes(10))) func refreshTokenOfAKilledProgramWorksWithinTheGracePeriod() async throws {
        var options = Issuer.Options()
        options.grace = .seconds(3600)
        try await Issuer.run(options) { issuer in
            try await signIn(at: issuer)
            for _ in 0..<Self.kills {
                try await Probe.killed(
                    ["renew", folder.path, issuer.url.absoluteString, "1000000"], afterLines: .random(in: 1...5))
            }
            let last = try await Probe.run(["renew", folder.path, issuer.url.absoluteString, "1"])
            #expect(last.status == 0 && last.lines.last == "authenticated", "\(last)")
            #expect(await issuer.counts.reuses == 0)
        }
    }

    /// The renewed tokens can't be saved, so they are used from memory. Disabled under ThreadSanitizer, which keeps its
    /// own data in files: files may not grow here.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil))
    func aFullDiskAtTheStartKeepsTheSession() async throws {
        try await Issuer.run { issuer in
            try await signIn(at: issuer)
            let before = try storage.load()
            let probe = try await Probe.run(
                ["renew", folder.path, issuer.url.absoluteString, "3"], isDiskFull: true)
            #expect(probe.status == 0 && probe.lines.last == "authenticated", "\(probe)")
            #expect(try storage.load() == before)
        }
    }
}
