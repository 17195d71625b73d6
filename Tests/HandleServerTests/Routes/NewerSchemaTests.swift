import HandleRegistry
import TestService
import TestSupport
import Testing

/// A newer program has changed the database of a service, which waits for its end instead of deciding without the words.
@Suite struct NewerSchemaTests {
    @Test(arguments: [
        "ALTER TABLE reserved_words RENAME COLUMN kind TO later", "ALTER TABLE reserved_words RENAME TO later",
        """
        ALTER TABLE reserved_words DROP CONSTRAINT reserved_words_kind;
        INSERT INTO reserved_words VALUES ('blog', 'features', 'fuzzy', 'hand', '', 'hand', now(), NULL, 1)
        """,
    ])
    func claimAfterAChangeOfTheWordsThatCannotBeReadGets503(_ change: String) async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(conninfo), policy: .unlimited)
        try await registry.refreshWords()
        try await withServer(registry) { first, _ in
            #expect(try await first.send("PUT", "/v1/handles/earlier", #"{"owner":"one"}"#).status == 201)
            try await execute("\(change); UPDATE words_version SET version = version + 1", on: conninfo)
            let answer = try await first.send("PUT", "/v1/handles/later", #"{"owner":"one"}"#)
            #expect(answer.status == 503)
            #expect(answer.json["code"] as? String == "database_unavailable")
            #expect(answer.headers["retry-after"] == "1")
            #expect(try await registry.record(of: handle("later")) == nil)
        }
    }

    /// Every check and claim would get 503.
    @Test func serviceWithWordsThatAreTooOldIsNotReady() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        for (longest, status) in [(Duration.seconds(3600), 200), (.zero, 503)] {
            let registry = try Registry(pool: patientPool(conninfo), longestUnconfirmed: longest)
            try await withServer(registry) { _, anonymous in
                // Not read yet.
                #expect(try await anonymous.send("GET", "/readyz").status == 503)
                try await registry.refreshWords()
                #expect(try await anonymous.send("GET", "/readyz").status == status)
            }
        }
    }
}
