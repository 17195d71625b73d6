import HandleClient
import HTTPTypes
import HandleServer
import TestService
import TestSupport
import Foundation
import Testing

/// The texts of failed calls for people.
@Suite struct ErrorSentenceTests {
    private func sentence(_ transport: ScriptedTransport, _ credential: RegistryClient.Credential = .none) async throws
        -> String
    {
        let client = try RegistryClient(
            base: #require(URL(string: "https://handles.example")), credential: credential, transport: transport,
            limits: .once)
        do {
            _ = try await client.handles(of: .me)
        } catch {
            return error.localizedDescription
        }
        throw Missing()
    }

    private struct Missing: Error {}

    @Test(arguments: ProblemType.allCases) func everyProblemHasASentence(_ type: ProblemType) async throws {
        let transport = ScriptedTransport { _, _ in .problem(Int(type.status.code), type.code) }
        let text = try await sentence(transport)
        #expect(text.first?.isUppercase == true && text.hasSuffix(".") && text.contains(" "), "\(text)")
        #expect(!text.contains("_") && !text.contains("Error"), "\(text)")
    }

    @Test func refusalsOfATokenSayDifferentThings() async throws {
        var texts: [String] = []
        for code in ["tokens_not_accepted", "unknown_issuer", "wrong_key"] {
            texts.append(try await sentence(ScriptedTransport { _, _ in .problem(401, code) }))
        }
        // The app got a new token, and that was refused too.
        let person = RegistryClient.Credential.person { $0 == nil ? "old" : "new" }
        texts.append(try await sentence(ScriptedTransport { _, _ in .problem(401, "wrong_key") }, person))
        #expect(Set(texts).count == 4)
        #expect(texts[2].contains("Sign in again") && texts.filter { $0.contains("does not help") }.count == 3)
    }

    @Test func refusalsOfThePersonSayUntilWhen() async throws {
        func refused(_ code: String, until: String) async throws -> String {
            let reason = #"{"code":"\#(code)","message":"m","until":\#(until)}"#
            let json = #"{"title":"t","detail":"d","code":"\#(code)","until":\#(until),"reasons":[\#(reason)]}"#
            return try await sentence(ScriptedTransport { _, _ in .json(json, status: 403) })
        }
        let end = #""2027-01-15T08:00:00Z""#
        let locked = try await refused("owner_locked", until: end)
        #expect(locked.contains("locked by a moderator") && locked.contains("until 15 January 2027"), "\(locked)")
        let endless = try await refused("owner_locked", until: "null")
        #expect(endless.hasSuffix("can't get or change handles."), "\(endless)")
        let often = try await refused("too_many_changes", until: end)
        #expect(often.contains("from 15 January 2027") && often.contains("take back one"), "\(often)")
    }

    @Test func failuresWithoutAProblemHaveSentences() async throws {
        for error in [HandleClientError.unreachable, .answerLost, .cancelled] {
            let text = try await sentence(ScriptedTransport { _, _ throws(HandleClientError) in throw error })
            #expect(text.first?.isUppercase == true && text.hasSuffix("."), "\(text)")
        }
    }
}
