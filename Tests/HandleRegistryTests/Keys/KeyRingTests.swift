import Foundation
import HandleRules
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

@Suite struct KeyRingTests {
    private func grant(_ scopes: Set<KeyScope> = [.claim]) throws -> KeyGrant {
        try #require(KeyGrant(name: "signup", scopes: scopes))
    }

    @Test func keyIsKnownFromTheNextRefreshUntilItIsRevoked() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let here = KeyStore(pool: patientPool(conninfo))
        let there = KeyStore(pool: patientPool(conninfo))
        let (key, record) = try await here.create(try grant(), actor: "tester")
        #expect(record.id == key.id && record.state == .active && record.scopes == [.claim])
        #expect(there.ring.answer(to: key.text) == .notLoaded)
        #expect(try await there.refresh())
        let holder = KeyHolder(id: key.id, name: "signup", scopes: [.claim])
        #expect(there.ring.answer(to: key.text) == .known(holder))
        #expect(there.ring.answer(to: AccessKey.random().text) == .unknown)
        #expect(try await there.refresh() == false)
        #expect(try await here.revoke(key.id, actor: "first") == .revoked)
        #expect(try await here.revoke(key.id, actor: "second") == .already)
        #expect(try await here.revoke("nothing", actor: "second") == .notFound)
        #expect(try await there.refresh())
        #expect(there.ring.answer(to: key.text) == .unknown)
        let kept = try await here.records()
        #expect(kept.map(\.state) == [.revoked] && kept.map(\.actor) == ["first"])
    }

    @Test func keyIsUnknownAfterItsEnd() async throws {
        let registry = try await freshRegistry()
        let keys = KeyStore(pool: registry.pool)
        let end = Date.now.addingTimeInterval(3600)
        let (key, _) = try await keys.create(
            try #require(KeyGrant(name: "for an hour", scopes: [.read], until: end)), actor: "tester")
        try await keys.refresh()
        let holder = KeyHolder(id: key.id, name: "for an hour", scopes: [.read])
        let now = ContinuousClock.now
        // By the clock of this process, without another query.
        #expect(keys.ring.answer(to: key.text, at: now + .seconds(3500)) == .known(holder))
        #expect(keys.ring.answer(to: key.text, at: now + .seconds(3601)) == .unknown)
        // By the database, at the next refresh.
        try await registry.execute("UPDATE access_keys SET until = now() - interval '1 second'")
        #expect(try await keys.refresh())
        #expect(keys.ring.answer(to: key.text) == .unknown)
        #expect(try await keys.records().map(\.state) == [.ended])
    }

    @Test func unconfirmedKeyIsRememberedForADay() async throws {
        let limit = Duration.seconds(30)
        let keys = KeyStore(pool: patientPool(try await TestCluster.shared.freshDatabase()), longestUnconfirmed: limit)
        let (key, _) = try await keys.create(try grant([.metrics]), actor: "tester")
        try await keys.refresh()
        let age = try #require(keys.ring.age())
        let confirmed = ContinuousClock.now - age
        let holder = KeyHolder(id: key.id, name: "signup", scopes: [.metrics])
        #expect(keys.ring.answer(to: key.text, at: confirmed + .seconds(29)) == .known(holder))
        #expect(keys.ring.answer(to: key.text, at: confirmed + .seconds(31)) == .unconfirmed(holder))
        #expect(keys.ring.answer(to: AccessKey.random().text, at: confirmed + .seconds(31)) == .notLoaded)
        #expect(keys.ring.answer(to: key.text, at: confirmed + .seconds(86_399)) == .unconfirmed(holder))
        #expect(keys.ring.answer(to: key.text, at: confirmed + .seconds(86_401)) == .notLoaded)
        // A confirmed key is in force again.
        try await keys.refresh()
        #expect(keys.ring.answer(to: key.text) == .known(holder))
    }

    @Test func keysStayInForceWhenTheDatabaseCannotBeRead() async throws {
        let pool = patientPool(try await TestCluster.shared.freshDatabase())
        let keys = KeyStore(pool: pool)
        let (key, _) = try await keys.create(try grant(), actor: "tester")
        try await keys.refresh()
        await pool.close()
        await #expect(throws: PostgresError.self) { try await keys.refresh() }
        let answer = keys.ring.answer(to: key.text)
        #expect(answer == .known(KeyHolder(id: key.id, name: "signup", scopes: [.claim])))
        // Uses that could not be stored are kept for the next time.
        await #expect(throws: PostgresError.self) { try await keys.noteUses() }
        #expect(keys.ring.takeUses() == [key.id])
    }

    /// Background work has a pool of its own, so it does not wait behind callers, however many there are.
    @Test(.timeLimit(.minutes(5))) func revocationIsReadWhileCallersHaveAllConnections() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let pool = patientPool(conninfo) { ($0.size, $0.maxWaiters) = (1, 0) }
        let background = patientPool(conninfo) { $0.size = 1 }
        let registry = try Registry(pool: pool, background: background)
        let keys = KeyStore(pool: pool, background: background)
        let (key, _) = try await keys.create(try grant(), actor: "tester")
        try await keys.refresh()
        try await registry.refreshWords()
        try await pool.withConnection(until: .now + .seconds(200)) { _ in
            await #expect(throws: PostgresError.self) { try await keys.records() }
            let admin = try Registry(pool: patientPool(conninfo))
            #expect(try await KeyStore(pool: admin.pool).revoke(key.id, actor: "tester") == .revoked)
            #expect(try await admin.change(.add("launch", .exact, category: "other")) == .changed)
            #expect(try await keys.refresh())
            #expect(try await registry.refreshWords())
            #expect(keys.ring.answer(to: key.text) == .unknown)
            #expect(try await registry.isReady())
            try await registry.sweep()
            try await keys.noteUses()
        }
        for pool in [pool, background] { await pool.close() }
    }

    /// Since the last read of the database a key may have been revoked, and a word reserved.
    @Test func keysAndWordsAreRefusedAfterTooLongWithoutConfirmation() async throws {
        let pool = patientPool(try await TestCluster.shared.freshDatabase())
        let registry = try Registry(pool: pool, longestUnconfirmed: .seconds(30))
        let keys = KeyStore(pool: pool, longestUnconfirmed: .seconds(30))
        await #expect(throws: PostgresError.self) { try await registry.availability(of: "johndoe") }
        let before = ContinuousClock.now
        let (key, _) = try await keys.create(try grant(), actor: "tester")
        for _ in 0..<2 {
            try await keys.refresh()
            try await registry.refreshWords()
        }
        let holder = KeyHolder(id: key.id, name: "signup", scopes: [.claim])
        #expect(keys.ring.answer(to: key.text, at: before + .seconds(30)) == .known(holder))
        #expect(throws: Never.self) { try registry.writes.confirmedWords(at: before + .seconds(30)) }
        let later = ContinuousClock.now + .seconds(31)
        #expect(keys.ring.answer(to: key.text, at: later) == .unconfirmed(holder))
        #expect(throws: PostgresError.self) { try registry.writes.confirmedWords(at: later) }
        await pool.close()
    }

    @Test func lastUseOfAKeyIsStoredAndIsNoChangeOfTheKeys() async throws {
        let keys = KeyStore(pool: try await freshRegistry().pool)
        let (used, _) = try await keys.create(try grant(), actor: "tester")
        _ = try await keys.create(try grant(), actor: "tester")
        try await keys.refresh()
        _ = keys.ring.answer(to: used.text)
        try await keys.noteUses()
        #expect(try await keys.refresh() == false)
        let records = try await keys.records()
        #expect(records.filter { $0.lastUsedAt != nil }.map(\.id) == [used.id])
        // Uses that are stored are not stored again.
        try await keys.noteUses()
        #expect(try await keys.records() == records)
    }

    @Test func databaseHoldsNoPartOfASecretKey() async throws {
        let registry = try await freshRegistry()
        let keys = KeyStore(pool: registry.pool)
        let (key, record) = try await keys.create(try grant(), actor: "tester")
        try await keys.refresh()
        _ = keys.ring.answer(to: key.text)
        try await keys.noteUses()
        // Control: the search finds the id of the key.
        #expect(try await tables(with: record.id, registry) == 1)
        let random = String(key.text.dropFirst(4).prefix(32))
        let hex = key.text.utf8.map { String($0, radix: 16) }.joined()
        for secret in [key.text, random, String(random.prefix(12)), hex] {
            #expect(try await tables(with: secret, registry) == 0)
        }
    }

    @Test func scopeOfANewerProgramIsIgnored() async throws {
        let registry = try await freshRegistry()
        let keys = KeyStore(pool: registry.pool)
        let (key, _) = try await keys.create(try grant([.read]), actor: "tester")
        try await registry.execute("UPDATE access_keys SET scopes = '{read,fly}'")
        try await keys.refresh()
        let answer = keys.ring.answer(to: key.text)
        #expect(answer == .known(KeyHolder(id: key.id, name: "signup", scopes: [.read])))
    }

    /// The number of tables of the database that contain a text in any column.
    private func tables(with text: String, _ registry: Registry) async throws -> Int64 {
        try await registry.number(
            """
            SELECT count(*) FROM pg_tables WHERE schemaname = 'public'
                AND table_to_xml(format('%I.%I', schemaname, tablename)::regclass, true, false, '')::text
                    LIKE '%\(text)%'
            """)
    }
}
