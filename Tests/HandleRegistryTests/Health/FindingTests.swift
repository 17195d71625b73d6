import HandleRegistry
import Postgres
import Testing

@testable import HandleRegistry

/// Findings for states that the servers of the tests do not have.
@Suite struct FindingTests {
    @Test(arguments: [
        (Duration.zero, Duration.zero, Finding.Level.ok), (.milliseconds(900), .zero, .ok), (.seconds(2), .zero, .warn),
        (.seconds(-2), .zero, .warn), (.seconds(29), .zero, .warn), (.seconds(31), .zero, .fail),
        (.seconds(-31), .zero, .fail),
        // The whole difference may come from the round trip.
        (.seconds(2), .seconds(4), .ok), (.seconds(31), .seconds(4), .warn),
    ])
    func clockFindingFollowsTheDifferenceAndTheRoundTrip(
        _ ahead: Duration, _ roundTrip: Duration, _ level: Finding.Level
    ) {
        #expect(ClockReading(ahead: ahead, roundTrip: roundTrip).finding.level == level)
    }

    @Test(
        arguments: [
            (130_012, Duration.milliseconds(1), Finding.Level.fail), (140_000, .milliseconds(1), .ok),
            (170_002, .milliseconds(51), .warn),
        ] as [(Int64, Duration, Finding.Level)])
    func connectionFindingFollowsTheServerVersionAndTheRoundTrip(
        _ version: Int64, _ roundTrip: Duration, _ level: Finding.Level
    ) {
        let facts = ServerFacts.Row(
            versionNumber: version, version: "x", user: "u", database: "d", isInRecovery: false, isReadOnly: false)
        #expect(facts.connection(roundTrip: roundTrip).level == level)
    }

    @Test func durabilityFindingsFollowTheSettings() {
        func levels(_ sync: Bool, _ pages: Bool, _ commit: String, _ checksums: Bool) -> [Finding.Level] {
            Durability.Row(hasSync: sync, hasFullPages: pages, synchronousCommit: commit, hasChecksums: checksums)
                .findings.map(\.level)
        }
        for commit in ["on", "local", "remote_write", "remote_apply"] {
            #expect(levels(true, true, commit, true) == [.ok])
        }
        #expect(levels(true, true, "on", false) == [.warn])
        #expect(levels(true, false, "on", true) == [.fail])
        #expect(levels(false, false, "off", false) == [.fail, .fail, .fail, .warn])
    }

    @Test func roleFindingFollowsMembershipAndRights() {
        func level(_ exists: Bool, _ isMember: Bool, _ hasRights: Bool?) -> Finding.Level {
            ServiceRole.Row(exists: exists, isMember: isMember, hasRights: hasRights).finding.level
        }
        #expect(level(false, false, nil) == .warn)
        #expect(level(true, false, true) == .warn)
        #expect(level(true, true, nil) == .ok)
        #expect(level(true, true, false) == .fail)
    }

    @Test(
        arguments: [
            (100, 3, 10, Finding.Level.ok), (100, 3, 80, .ok), (100, 3, 81, .warn), (18, 3, 0, .fail),
            (19, 3, 1, .warn),
        ] as [(Int64, Int64, Int64, Finding.Level)])
    func connectionsFindingFollowsTheFreeConnections(
        _ limit: Int64, _ reserved: Int64, _ used: Int64, _ level: Finding.Level
    ) {
        let finding = Connections.Row(limit: limit, reserved: reserved, used: used).finding(needed: 16)
        #expect(finding.level == level, "\(finding)")
    }

    @Test(arguments: [(1, Finding.Level.fail), (2, .warn), (16, .warn), (17, .ok)] as [(Int64, Finding.Level)])
    func connectionsFindingFollowsTheConnectionLimitOfTheRole(_ limit: Int64, _ level: Finding.Level) {
        let finding = Connections.Row(limit: 100, reserved: 3, used: 10, ours: limit).finding(needed: 16)
        #expect(finding.level == level, "\(finding)")
    }

    @Test(
        arguments: [
            (Int64(3) << 30, Finding.Level.ok), (1 << 30, .warn), (255 << 20, .fail), (0, .fail),
        ] as [(Int64, Finding.Level)])
    func diskFindingFollowsTheFreeSpace(_ free: Int64, _ level: Finding.Level) {
        let home = DatabaseHome.here(folder: ".handles", DiskSpace(free: free, total: 100 << 30))
        #expect(Examination.disk(home, size: 8_000_000).level == level)
        #expect(Examination.disk(.here(folder: ".handles", nil), size: 8_000_000).level == .warn)
    }

    private func replica(_ state: String?, _ mode: String?, lag: Duration? = nil) -> LookupReplicas.Row {
        LookupReplicas.Row(name: "one", state: state, mode: mode, bytes: 1_200, lag: lag)
    }

    @Test func replicationFindingsFollowTheReplicas() {
        func levels(
            _ replicas: [LookupReplicas.Row], _ synchronous: String = "", isPrivate: Bool = false
        ) -> [Finding.Level] {
            Replication(
                replicas: replicas, synchronous: synchronous, isReplicaItself: false, isPrivate: isPrivate
            ).findings.map(\.level)
        }
        #expect(levels([], isPrivate: true) == [.ok])
        #expect(levels([]) == [.warn])
        #expect(levels([], "one") == [.fail])
        #expect(levels([replica("streaming", "sync")], "one") == [.ok])
        #expect(levels([replica("streaming", "quorum", lag: .seconds(11))], "ANY 1 (one)") == [.warn])
        #expect(levels([replica("catchup", "sync")], "one") == [.warn])
        #expect(levels([replica("streaming", "async")]) == [.ok, .warn])
        #expect(levels([replica("streaming", "async")], "other") == [.ok, .fail])
        // A replica that the role can't see is not reported as missing.
        #expect(levels([replica(nil, nil)], "one") == [.warn])
    }

    @Test func preparedTransactionsCauseAWarning() {
        let findings = Transactions(long: [], prepared: 2, hidden: 0).findings(patience: .seconds(60))
        #expect(findings.map(\.level) == [.warn] && findings[0].found.contains("2 prepared transactions"))
    }

    @Test func sizesAndDurationsAreWrittenForPeople() {
        #expect(
            [0, 999, 1_000, 8_350_000, 2_500_000_000_000_000].map { Int64($0).sizeText }
                == ["0 bytes", "999 bytes", "1 kB", "8.4 MB", "2500 TB"])
        #expect(
            [Duration.milliseconds(0.34), .seconds(60), .seconds(150), .seconds(9000)].map(\.text)
                == ["0.3 ms", "60 s", "2.5 min", "2.5 h"])
    }
}
