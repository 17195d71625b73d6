import ArgumentParser
import Foundation
import TestIssuer

@main struct TestIssuerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-issuer",
        abstract: "An OpenID issuer on this machine, for tests: any name signs in without a password.",
        discussion: """
            Prints its address, and with --token-of an id token. Runs until it is stopped. POST /faults queues faults: \
            {"endpoint": "token", "fault": "status", "status": 503, "retry_after": 5, "times": 2}. Endpoints are \
            \(Endpoint.allCases.map(\.rawValue).joined(separator: ", ")); faults are delay (with seconds), hold, \
            drop, lose, cut, status, garbage, refuse (with code) and redirect (with location). \
            POST /sign-out-everywhere ends the sessions of a person: {"person": "jane"}.
            """)

    @Option(help: "The port on 127.0.0.1; 0 for any free port.") var port = 0
    @Option(help: "The client's id.") var clientID = "app"
    @Option(help: "The client's secret; leave it out for an app.") var clientSecret: String?
    @Option(help: "An allowed redirect URI; may be repeated. On 127.0.0.1 any port is allowed.")
    var redirectURI: [String] = ["http://127.0.0.1/callback"]
    @Option(help: "The lifetime of tokens, in seconds.") var lifetime = 3600.0
    @Option(help: "How many seconds a used refresh token is accepted again.") var grace = 0.0
    @Option(help: "How many seconds its clock is ahead of this machine's.") var clock = 0.0
    @Option(help: "Prints an id token of this person, for calls by hand.") var tokenOf: String?
    @Option(help: "Signs every visitor in as this person, without showing the page.") var person: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535") }
        guard lifetime > 0, lifetime <= 1e9 else { throw ValidationError("--lifetime is above 0 and at most 1e9") }
        guard grace >= 0, grace <= 1e9 else { throw ValidationError("--grace is 0 to 1e9") }
        guard abs(clock) <= 1e10 else { throw ValidationError("--clock is -1e10 to 1e10") }
    }

    func run() async throws {
        var options = Issuer.Options()
        options.port = port
        options.clientID = clientID
        options.clientSecret = clientSecret
        options.redirectURIs = redirectURI
        options.lifetime = .seconds(lifetime)
        options.grace = .seconds(grace)
        options.person = person
        let (clock, tokenOf) = (clock, tokenOf)
        try await Issuer.run(options) { issuer in
            await issuer.setClock(ahead: .seconds(clock))
            print(issuer.url.absoluteString)
            if let tokenOf { print(await issuer.idToken(of: tokenOf)) }
            fflush(nil)
            // Until a signal ends the program.
            while true { try await Task.sleep(for: .seconds(3600)) }
        }
    }
}
