import EmbeddedPostgres
import Foundation
import TestSupport
import Testing

/// A running service: the real program with a private PostgreSQL in a folder.
private final class Service: @unchecked Sendable {  // used by one test, and Process is safe to signal
    private let process = Process()
    private let words: String
    let client: HTTPClient

    /// Starts the program and returns when it listens, or throws what it said when it ended instead.
    init(in folder: String, _ variables: [String: String] = [:]) async throws {
        words = "\(folder)/words-\(UInt32.random(in: 0 ... .max))"
        try "".write(toFile: words, atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: Program.path)
        process.arguments = ["serve", "--port", "0"]
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = Program.inherited.merging(variables) { $1 }
        process.standardError = FileHandle(forWritingAtPath: words)
        try process.run()
        while true {
            let said = (try? String(contentsOfFile: words, encoding: .utf8)) ?? ""
            if said.contains("curl"),
                let line = said.split(separator: "\n").first(where: { $0.contains("listening on") }),
                let port = line.split(separator: ":").last.flatMap({ Int($0) })
            {
                let key = said.split(separator: "\n").first { $0.hasPrefix("key for writing: hdl_") }
                client = HTTPClient(port: port, key: key.map { String($0.dropFirst("key for writing: ".count)) })
                return
            }
            guard process.isRunning else { throw Ended(words: said, status: process.terminationStatus) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    struct Ended: Error {
        let words: String
        let status: Int32
    }

    /// Sends a signal and waits for the end.
    @discardableResult
    func end(_ number: Int32) -> Int32 {
        kill(process.processIdentifier, number)
        process.waitUntilExit()
        return process.terminationStatus
    }
}

private func isServerRunning(in folder: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/.handles/postgres/postmaster.pid")
}

@Suite(.serialized) struct ServeTests {
    @Test(arguments: [SIGINT, SIGTERM])
    func stopsWithItsDatabaseAndFindsTheDataAgain(_ signal: Int32) async throws {
        let folder = TemporaryFolder.make("serve with a space")
        var service = try await Service(in: folder)
        #expect(try await service.client.send("PUT", "/v1/handles/JohnDoe", #"{"owner":"one"}"#).status == 201)
        #expect(try await service.client.send("GET", "/readyz").status == 200)
        #expect(service.end(signal) == 0)
        #expect(!isServerRunning(in: folder))
        service = try await Service(in: folder)
        let found = try await service.client.send("GET", "/v1/handles/johndoe")
        #expect(found.json["owner"] as? String == "one")
        #expect(service.end(signal) == 0)
    }

    @Test func losesNoAcknowledgedClaimWhenItIsKilled() async throws {
        let folder = TemporaryFolder.make("killed")
        for round in 0..<3 {
            let service = try await Service(in: folder)
            let acknowledged = await withTaskGroup(of: String?.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let name = "kill_\(round)_\(number)"
                        let answer = try? await service.client.send(
                            "PUT", "/v1/handles/\(name)", #"{"owner":"\#(name)"}"#)
                        return answer?.status == 201 ? name : nil
                    }
                }
                var names: [String] = []
                for await case let name? in group {
                    names.append(name)
                    if names.count == 20 { service.end(SIGKILL) }
                }
                return names
            }
            #expect(acknowledged.count >= 20)
            let next = try await Service(in: folder)
            for name in acknowledged {
                let found = try await next.client.send("GET", "/v1/handles/\(name)")
                #expect(found.json["owner"] as? String == name)
            }
            #expect(next.end(SIGTERM) == 0)
            #expect(!isServerRunning(in: folder))
        }
    }

    @Test func isAloneInItsFolder() async throws {
        let folder = TemporaryFolder.make("alone")
        let service = try await Service(in: folder)
        await #expect {
            _ = try await Service(in: folder)
        } throws: { error in
            guard let error = error as? Service.Ended else { return false }
            return error.status == 69 && error.words.contains("another service") && error.words.contains("HANDLES_DATA")
        }
        // A command works beside it, on the same data.
        let claim = try await Program.run(["claim", "beside", "--for", "one"], in: folder)
        #expect(claim.status == 0)
        #expect(try await service.client.send("GET", "/v1/handles/beside").status == 200)
        #expect(service.end(SIGINT) == 0)
    }

    @Test(.timeLimit(.minutes(2))) func startsWithoutItsDatabaseAndCarriesOnOnceItIsThere() async throws {
        let folder = TemporaryFolder.make("later")
        let postgres = try EmbeddedPostgres(folder: "\(folder)/data", settings: ["fsync=off"])
        let service = try await Service(
            in: folder,
            [
                "DATABASE_URL": "host='\(folder)/data/postgres' user=handles dbname=handles",
                "HANDLES_ADMIN_KEY": "0123456789abcdef",
            ])
        #expect(try await service.client.send("GET", "/livez").status == 200)
        #expect(try await service.client.send("GET", "/readyz").status == 503)
        // The database comes, goes, and comes again; the service is never restarted.
        for _ in 0..<2 {
            try await postgres.use(as: .command) { _ in
                while try await service.client.send("GET", "/readyz").status != 200 {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            #expect(try await service.client.send("GET", "/readyz").status == 503)
        }
        #expect(service.end(SIGTERM) == 0)
    }

    @Test func saysWhenItsPortIsTaken() async throws {
        let folder = TemporaryFolder.make("port")
        let service = try await Service(in: folder)
        let second = try await Program.run(
            ["serve", "--port", "\(service.client.port)", "--data", "\(folder)/other"], in: folder)
        #expect(second.status == 69)
        #expect(second.words.contains("\(service.client.port)"))
        #expect(service.end(SIGTERM) == 0)
    }
}
