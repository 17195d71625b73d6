import Foundation
import HandleRegistry
import TestService
import TestSupport
import Testing

@Suite(.serialized) struct DoctorTests {
    private let folder = TemporaryFolder.make("doctor")

    @Test func doctorChecksThePrivateDatabaseButNeverCreatesOne() async throws {
        let missing = try await Program.run(["doctor"], in: folder)
        #expect(missing.status == 69)
        #expect(missing.output.hasPrefix("fail  connection    there is no private PostgreSQL"))
        #expect(missing.output.split(separator: "\n").last?.hasPrefix("                    run handles serve") == true)
        #expect(missing.words.split(separator: "\n").count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)

        #expect(try await Program.run(["migrate"], in: folder).status == 0)
        let found = try await Program.run(["doctor"], in: folder)
        #expect(found.status == 0, "\(found.output)")
        for line in [
            "  connection    PostgreSQL ", "ok    schema        version \(Registry.schemaVersion)\n",
            "ok    replication   none", "    disk          ", "free for .handles; the database has ",
            "ok    durability    fsync, full_page_writes and checksums are on",
        ] { #expect(found.output.contains(line), "\(line): \(found.output)") }
        // Its first finding is not about the program itself.
        #expect(!found.output.contains("fail") && found.words.hasSuffix("0 failed\n"))

        let lines = try await Program.run(["doctor", "--json"], in: folder).output.split(separator: "\n")
        let objects = try lines.map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.first?["check"] as? String == "connection" && objects.count >= 13)
        for object in objects {
            #expect((object["level"] as? String == "ok") == (object["advice"] is NSNull))
            #expect((object["found"] as? String)?.isEmpty == false)
        }
    }

    @Test func doctorExitStatusFollowsFromItsFindings() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        func doctor(_ variables: [String: String]) async throws -> Program.Result {
            try await Program.run(["doctor"], in: folder, variables)
        }
        // The tests' server has fsync off.
        let failed = try await doctor(["DATABASE_URL": database, "HANDLES_READ_URL": "host=/nonexistent"])
        #expect(failed.status == 1)
        #expect(failed.output.contains("fail  durability    fsync is off: a power cut can destroy the database\n"))
        #expect(failed.output.contains("\n                    set fsync = on in postgresql.conf and reload\n"))
        #expect(failed.output.contains("warn  replica       can't be queried"))
        #expect(failed.words.split(separator: "\n").count == 1 && failed.words.hasSuffix(" failed\n"))

        let down = try await doctor(["DATABASE_URL": "host=/nonexistent password=0123456789abcdef"])
        #expect(down.status == 69 && down.output.hasPrefix("fail  connection    unavailable"))
        #expect(down.output.split(separator: "\n").count == 2 && down.words.split(separator: "\n").count == 1)
        #expect(!(down.output + down.words).contains("0123456789abcdef"))

        try await execute("INSERT INTO schema_migrations VALUES (9999, 'future', now())", on: database)
        let future = try await doctor(["DATABASE_URL": database])
        #expect(future.status == 69)
        #expect(future.output.contains("fail  schema        version 9999"))
        #expect(future.words.contains("use a newer program") && future.words.split(separator: "\n").count == 1)
    }
}
