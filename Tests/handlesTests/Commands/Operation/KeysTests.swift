import Foundation
import HandleRegistry
import TestService
import TestSupport
import Testing

@Suite(.serialized) struct KeysTests {
    private let folder = TemporaryFolder.make("keys")

    @Test func keysAreCreatedListedAndRevoked() async throws {
        let run = try await Commands("keys", in: folder)
        let none = try await run("list")
        #expect(none.status == 0 && none.output.isEmpty && none.words.contains("handles keys create"))
        let made = try await run("create", "--name", "signup flow", "--scope", "claim", "--scope", "read")
        #expect(made.status == 0)
        // Standard output has only the key, so that it can be piped to where it is needed.
        let key = try #require(AccessKey(String(made.output.dropLast())))
        #expect(made.output == key.text + "\n")
        #expect(made.words.contains("key \(key.id) for signup flow with read,claim; it is not shown again"))
        #expect(!made.words.contains(key.text))
        let later = try await run("create", "--name", "report", "--scope", "read", "--until", "2999-12-31", "--json")
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(later.output.utf8)) as? [String: Any])
        let other = try #require(AccessKey(object["key"] as? String ?? ""))
        #expect(object["id"] as? String == other.id && object["scopes"] as? [String] == ["read"])
        #expect(object["until"] as? String == "3000-01-01T00:00:00.000Z" && object["state"] as? String == "active")

        let listed = try await run("list")
        let lines = listed.output.split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true)
        }
        #expect(lines.map(\.first) == ["id", key.id[...], other.id[...]])
        #expect(lines.map(\.last) == ["state", "active", "active"])
        #expect(
            listed.output.contains("signup flow  read,claim  20")
                && listed.output.contains("  2999-12-31  never"))
        for result in [listed, try await run("list", "--json", "--all")] {
            for secret in [key.text, other.text] { #expect(!result.output.contains(secret)) }
        }

        #expect(try await run("revoke", key.id).output == "\(key.id) revoked\n")
        let again = try await run("revoke", key.id, "nonsense")
        #expect(again.status == 1 && again.output == "\(key.id) revoked already\nnonsense no such key\n")
        #expect(try await run("revoke", key.id).status == 0)
        #expect(try await run("list").output.contains(key.id) == false)
        #expect(try await run("list", "--all").output.contains("revoked"))
        let all = try await run("list", "--all", "--json").output.split(separator: "\n")
        #expect(all.count == 2 && all[0].contains(#""state":"revoked""#) && all[0].contains(#""actor":"cli:"#))
    }

    @Test func expiredKeysAreListedOnlyWithAll() async throws {
        let run = try await Commands("keys", in: folder)
        _ = try await run("create", "--name", "old", "--scope", "read", "--until", "2999-12-31")
        try await execute("UPDATE access_keys SET until = now() - interval '1 second'", on: run.database)
        #expect(try await run("list").output.isEmpty)
        #expect(try await run("list", "--all").output.contains("ended"))
    }

    @Test(arguments: [
        (["create", "--scope", "read"], "--name"), (["create", "--name", "x"], "--scope"),
        (["create", "--name", " ", "--scope", "read"], "1 to 64 printable characters"),
        (["create", "--name", "a\nb", "--scope", "read"], "1 to 64 printable characters"),
        (["create", "--name", "admin", "--scope", "read"], "the name of the first key"),
        (["create", "--name", "x", "--scope", "write"], "read"),
        (["create", "--name", "x", "--scope", "read", "--until", "tomorrow"], "a day such as"),
        (["create", "--name", "x", "--scope", "read", "--until", "2001-01-01"], "over already"),
        (["create", "--name", "x", "--scope", "read", "--limit", "5"], "such as 300/5m"),
        (["revoke"], "id"), (["revoke", "hdl_rather_secret"], "Give the key's id"),
        (["revoke", "abcdefgh", "HDL_rather_secret"], "Give the key's id"),
    ])
    func wrongOptionsOfKeysAreRefusedWithoutQuotingAKey(_ arguments: [String], _ words: String) async throws {
        let result = try await Program.run(["keys"] + arguments, in: folder, ["DATABASE_URL": "host=/nonexistent"])
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.words.contains(words), "\(result.words)")
        #expect(!result.words.contains("rather_secret"))
    }
}
