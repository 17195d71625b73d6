import Foundation
import TestSupport
import Testing

/// The program `test-issuer`.
@Suite struct TestIssuerProgramTests {
    private func process(_ arguments: [String], _ output: Pipe) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("test-issuer")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        return process
    }

    @Test func programPrintsItsAddressServesFaultsAndStops() async throws {
        let output = Pipe()
        let process = process(["--person", "jane", "--lifetime", "60"], output)
        try process.run()
        defer { process.terminate() }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = try #require(URL(string: line.trimmingCharacters(in: .newlines))?.port)
        let client = HTTPClient(port: port)
        #expect(try await client.send("GET", "/.well-known/openid-configuration").status == 200)
        #expect(try await client.send("GET", "/favicon.ico").status == 204)
        let faults = #"{"endpoint":"keys","fault":"status","status":503,"retry_after":7,"times":2}"#
        #expect(try await client.send("POST", "/faults", faults).status == 204)
        for _ in 0..<2 {
            let answer = try await client.send("GET", "/keys")
            #expect(answer.status == 503 && answer.headers["retry-after"] == "7")
        }
        #expect(try await client.send("GET", "/keys").status == 200)
        #expect(try await client.send("POST", "/faults", #"{"endpoint":"keys","fault":"fire"}"#).status == 400)
        #expect(try await client.send("POST", "/sign-out-everywhere", #"{"person":"jane"}"#).status == 204)
        #expect(try await client.send("POST", "/sign-out-everywhere", "{}").status == 400)
        #expect(try await client.send("GET", "/sign-out-everywhere").status == 405)
        process.terminate()
        #expect(await process.ended() == SIGTERM)
    }

    @Test(arguments: [["--port", "70000"], ["--lifetime", "0"], ["--grace=-1"], ["--port", "x"], ["--unknown"]])
    func programRefusesWrongOptions(_ arguments: [String]) async throws {
        let output = Pipe()
        let process = process(arguments, output)
        try process.run()
        #expect(await process.ended() == 64)
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(text.contains("Error:") && text.contains("--"))
    }
}
