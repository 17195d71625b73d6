import EmbeddedPostgres
import Foundation
import HandleRegistry
import TestService
import TestSupport
import Testing

private func isServerRunning(in folder: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/.handles/postgres/postmaster.pid")
}

@Suite(.serialized) struct ServeTests {
    @Test(arguments: [SIGINT, SIGTERM])
    func serviceStopsItsDatabaseAndFindsItsDataAfterARestart(_ signal: Int32) async throws {
        let folder = TemporaryFolder.make("serve with a space")
        var service = try await Service(in: folder, isNew: true)
        #expect(try await service.client.send("PUT", "/v1/handles/JohnDoe", #"{"owner":"one"}"#).status == 201)
        #expect(try await service.client.send("GET", "/readyz").status == 200)
        #expect(await service.end(signal) == 0)
        #expect(!isServerRunning(in: folder))
        service = try await Service(in: folder)
        let found = try await service.client.send("GET", "/v1/handles/johndoe")
        #expect(found.json["owner"] as? String == "one")
        #expect(await service.end(signal) == 0)
    }

    @Test func connectionsWaitInTheBacklogAtTheOpenFileLimit() async throws {
        let service = try await Service(in: TemporaryFolder.make("crowded"), openFiles: 256)
        var connections = try (0..<400).map { _ in try service.client.connect() }
        // The accepted connections stay idle and the rest wait in the backlog. The other files stay free for the
        // service.
        try await eventually("the service has taken as many as it may") {
            service.openFiles >= 121 || !service.isRunning
        }
        // Requests on an accepted connection are answered, and the service accepts no more connections meanwhile.
        for _ in 0..<50 {
            #expect(HTTPClient.ask("/livez", on: connections[0]).hasPrefix("HTTP/1.1 200 "))
            #expect(service.openFiles < 200)
        }
        // The next connection has to wait until others are closed.
        async let next = service.client.send("GET", "/livez")
        for connection in connections.suffix(300) { close(connection) }
        connections.removeLast(300)
        #expect(try await next.status == 200)
        for connection in connections { close(connection) }
        #expect(try await service.client.send("GET", "/v1/availability?handle=johndoe").status == 200)
        #expect(await service.end(SIGTERM) == 0)
    }

    /// A stop works while the start still waits; here for a database that accepts connections and never answers.
    @Test(.timeLimit(.minutes(1)), arguments: [SIGINT, SIGTERM])
    func signalEndsTheServiceWhileItStarts(_ signal: Int32) async throws {
        let silent = try ClosingListener(isSilent: true)
        let program = Program.process(
            ["serve", "--port", "0"], in: TemporaryFolder.make("starting"),
            ["DATABASE_URL": "host=127.0.0.1 port=\(silent.port) sslmode=disable", "HANDLES_DATABASE_TIME": "60s"])
        program.standardError = FileHandle.nullDevice
        try program.run()
        try await eventually("it asks the database") { silent.acceptedCount > 0 }
        kill(program.processIdentifier, signal)
        #expect(await program.ended() == 0)
    }

    /// The environment of PostgreSQL is visible to its system user and to anyone with access to the database.
    @Test func postgresDoesNotInheritTheSecretsOfTheService() async throws {
        let folder = TemporaryFolder.make("secrets")
        let service = try await Service(in: folder, ["HANDLES_ADMIN_KEY": "a-key-that-nobody-else-should-see"])
        let process = try #require(TemporaryFolder.postmaster("\(folder)/.handles/postgres/postmaster.pid"))
        let environment = try String(contentsOfFile: "/proc/\(process)/environ", encoding: .utf8)
        #expect(
            environment.contains("PATH=") && !environment.contains("HANDLES_") && !environment.contains("a-key-that"))
        #expect(await service.end(SIGTERM) == 0)
    }

    /// The service that keeps running uses the key in the file.
    @Test func servicesStartedTogetherMakeOneFirstKey() async throws {
        for _ in 0..<3 {
            let folder = TemporaryFolder.make("first-key")
            let services = try await withThrowingTaskGroup(of: Service?.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        do { return try await Service(in: folder, isNew: true) } catch let end as Service.Ended {
                            #expect(end.status == 69)
                            #expect(end.words.contains("another service"))
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: [Service]()) { if let service = $1 { $0.append(service) } }
            }
            let service = try #require(services.first)
            #expect(services.count == 1)
            let key = try String(contentsOfFile: "\(folder)/.handles/admin-key", encoding: .utf8)
            let client = HTTPClient(port: service.client.port, key: key.trimmingCharacters(in: .whitespacesAndNewlines))
            #expect(try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#).status == 201)
            #expect(await service.end(SIGTERM) == 0)
        }
    }

    @Test func streamsGetAnEndEventWhenTheServiceStops() async throws {
        let service = try await Service(in: TemporaryFolder.make("watched"))
        let events = try await service.client.events("/v1/availability/watch?handle=johndoe")
        var seen: [String] = []
        for await event in events {
            seen.append(event)
            // The stream ends by itself, before the drain limit would close its connection.
            if event == "available" { #expect(await service.end(SIGTERM) == 0) }
        }
        #expect(seen == ["available", "end"])
    }

    @Test func acknowledgedClaimsSurviveAKillOfTheService() async throws {
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
                    if names.count == 20 { await service.end(SIGKILL) }
                }
                return names
            }
            #expect(acknowledged.count >= 20)
            let next = try await Service(in: folder)
            for name in acknowledged {
                let found = try await next.client.send("GET", "/v1/handles/\(name)")
                #expect(found.json["owner"] as? String == name)
            }
            #expect(await next.end(SIGTERM) == 0)
            #expect(!isServerRunning(in: folder))
        }
    }

    /// The running service sees a new or revoked key within two seconds, without a restart.
    @Test(.timeLimit(.minutes(5))) func runningServiceAcceptsNewKeysAndRefusesRevokedOnes() async throws {
        let folder = TemporaryFolder.make("access keys")
        // Until the service knows the key, its requests count against the anonymous quota.
        let service = try await Service(in: folder, ["HANDLES_ANONYMOUS_LIMIT": "none"])
        let made = try await Program.run(["keys", "create", "--name", "signup", "--scope", "claim"], in: folder)
        let text = made.output.trimmingCharacters(in: .newlines)
        let client = HTTPClient(port: service.client.port, key: text)
        func waitForStatus(_ status: Int) async throws {
            try await eventually("the answer is \(status)") {
                try await client.send("GET", "/v1/owners/one/handles").status == status
            }
        }
        try await waitForStatus(200)
        #expect(try await client.send("PUT", "/v1/handles/JohnDoe", #"{"owner":"one"}"#).status == 201)
        let id = try #require(AccessKey(text)?.id)
        #expect(try await Program.run(["keys", "revoke", id], in: folder).status == 0)
        try await waitForStatus(401)
        #expect(try await client.send("PUT", "/v1/handles/JohnDoe", #"{"owner":"one"}"#).status == 401)
        #expect(try await Program.run(["show", "johndoe"], in: folder).output.contains("by key:signup"))
        #expect(await service.end(SIGTERM) == 0)
        // The time of the last use is stored at the stop at the latest.
        let listed = try await Program.run(["keys", "list", "--all", "--json"], in: folder)
        #expect(listed.output.contains(#""last_used_at":"20"#))
    }

    @Test func secondServiceInTheSameFolderIsRefused() async throws {
        let folder = TemporaryFolder.make("alone")
        let service = try await Service(in: folder)
        await #expect {
            _ = try await Service(in: folder)
        } throws: { error in
            guard let error = error as? Service.Ended else { return false }
            return error.status == 69 && error.words.contains("another service") && error.words.contains("HANDLES_DATA")
        }
        // A command works on the same data while the service runs.
        let claim = try await Program.run(["claim", "beside", "--for", "one"], in: folder)
        #expect(claim.status == 0)
        #expect(try await service.client.send("GET", "/v1/handles/beside").status == 200)
        #expect(await service.end(SIGINT) == 0)
    }

    @Test(.timeLimit(.minutes(5))) func serviceStartsWithoutItsDatabaseAndBecomesReadyWithIt() async throws {
        let folder = TemporaryFolder.make("later")
        try await PreparedCluster.copy(to: "\(folder)/data")
        let postgres = try EmbeddedPostgres(folder: "\(folder)/data")
        let service = try await Service(
            in: folder,
            [
                "DATABASE_URL": "host='\(folder)/data/postgres' user=handles dbname=handles",
                "HANDLES_ADMIN_KEY": "0123456789abcdef",
            ])
        #expect(try await service.client.send("GET", "/livez").status == 200)
        #expect(try await service.client.send("GET", "/readyz").status == 503)
        // The database starts, stops and starts again; the service is never restarted.
        for _ in 0..<2 {
            try await postgres.use(as: .command) { _ in
                try await eventually("the service is ready") {
                    try await service.client.send("GET", "/readyz").status == 200
                }
            }
            #expect(try await service.client.send("GET", "/readyz").status == 503)
        }
        #expect(await service.end(SIGTERM) == 0)
    }

    @Test func serveExitsWith69WhenItsPortIsTaken() async throws {
        let folder = TemporaryFolder.make("port")
        let service = try await Service(in: folder)
        let second = try await Program.run(
            ["serve", "--port", "\(service.client.port)", "--data", "\(folder)/other"], in: folder)
        #expect(second.status == 69)
        #expect(
            second.words == "handles: port \(service.client.port) of 127.0.0.1 is in use: stop the other program, "
                + "or choose another --port\n")
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/other"))
        #expect(await service.end(SIGTERM) == 0)
    }

    @Test func serveExitsWith69AtAnAddressOfAnotherMachine() async throws {
        let folder = TemporaryFolder.make("address")
        let result = try await Program.run(["serve", "--host", "192.0.2.1", "--port", "0"], in: folder)
        #expect(result.status == 69)
        #expect(result.words == "handles: can't listen on 192.0.2.1:0: this machine does not have that address\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    /// Two services on one database get concurrent claims of the same names in different spellings.
    @Test(.timeLimit(.minutes(5))) func concurrentClaimsAtTwoServicesHaveOneWinner() async throws {
        let folder = TemporaryFolder.make("two")
        let database = try await TestCluster.shared.freshDatabase()
        let variables = ["DATABASE_URL": database, "HANDLES_ADMIN_KEY": "0123456789abcdef", "HANDLES_PER_OWNER": "0"]
        let services = [try await Service(in: folder, variables), try await Service(in: folder, variables)]
        for round in 0..<20 {
            let spellings = ["race_\(round)x", "RACE_\(round)X", "ｒａｃｅ_\(round)x".percentEncoded, "@Race_\(round)x"]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for racer in 0..<32 {
                    group.addTask {
                        try await services[racer % 2].client.send(
                            "PUT", "/v1/handles/\(spellings[racer / 2 % 4])", #"{"owner":"racer-\#(racer)"}"#
                        ).status
                    }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [201: 1, 409: 31])
        }
        for service in services { #expect(await service.end(SIGTERM) == 0) }
        let verified = try await Program.run(["verify"], in: folder, variables)
        #expect(verified.status == 0, "\(verified.output)")
    }

    /// After a lost response the client repeats the request with the same idempotency key until it is answered.
    @Test(.timeLimit(.minutes(5))) func requestWithAnIdempotencyKeyIsCarriedOutOnceDespiteAKill() async throws {
        let folder = TemporaryFolder.make("keys")
        let variables = ["HANDLES_ADMIN_KEY": "0123456789abcdef", "HANDLES_PER_OWNER": "0"]
        for round in 0..<3 {
            let service = try await Service(in: folder, variables)
            @Sendable func claim(_ number: Int, _ client: HTTPClient) async -> HTTPAnswer? {
                let name = "key_\(round)_\(number)"
                return try? await client.send(
                    "PUT", "/v1/handles/\(name)", #"{"owner":"\#(name)"}"#, headers: ["Idempotency-Key": name])
            }
            let answered = await withTaskGroup(of: (Int, String?).self) { group in
                for number in 0..<60 {
                    group.addTask {
                        (number, await claim(number, service.client).flatMap { $0.status == 201 ? $0.body : nil })
                    }
                }
                var answered: [Int: String] = [:]
                for await (number, body) in group {
                    answered[number] = body
                    if body != nil, answered.count == 20 { await service.end(SIGKILL) }
                }
                return answered
            }
            let next = try await Service(in: folder, variables)
            for number in 0..<60 {
                var answer: HTTPAnswer?
                try await eventually("the database is no longer busy with the one that was sent before") {
                    answer = await claim(number, next.client)
                    return answer?.json["code"] as? String != "in_flight"
                }
                let repeated = try #require(answer)
                #expect(repeated.status == 201)
                if let body = answered[number] { #expect(repeated.body == body) }
                #expect(repeated.json["version"] as? Int == 1)
            }
            #expect(await next.end(SIGTERM) == 0)
        }
        #expect(try await Program.run(["verify"], in: folder).status == 0)
    }
}
