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

    @Test func failuresWithoutAProblemHaveSentences() async throws {
        for error in [HandleClientError.unreachable, .answerLost, .cancelled] {
            let text = try await sentence(ScriptedTransport { _, _ throws(HandleClientError) in throw error })
            #expect(text.first?.isUppercase == true && text.hasSuffix("."), "\(text)")
        }
    }
}
