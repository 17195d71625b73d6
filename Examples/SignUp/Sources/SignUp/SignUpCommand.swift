import ArgumentParser
import AsyncHTTPClient
import AsyncHTTPTransport
import Foundation
import HandleClient
import Hummingbird
import Logging
import ServiceLifecycle
import Sessions
import OpenIDSessions

@main struct SignUpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-up",
        abstract: "A sign-up page: sign in with an OpenID issuer, choose a handle, say what you are called.",
        discussion: """
            The client's secret, if the issuer gave one, is read from SIGN_UP_CLIENT_SECRET. Behind a proxy that speaks TLS, give the \
            address that browsers use with --url.
            """)

    @Option(help: "The port on 127.0.0.1.") var port = 8090
    @Option(help: "The address that browsers use, without a path. (default: http://127.0.0.1:PORT)") var url: String?
    @Option(help: "The issuer's URL, exactly as in its discovery document.") var issuer: String
    @Option(help: "The id of this client at the issuer.") var clientID = "sign-up"
    @Option(help: "The address of the registry.") var registry = "http://127.0.0.1:8080"
    @Option(help: "A file with an access key of the registry, with the scope claim.") var registryKeyFile: String
    @Option(help: "The folder for sessions, drafts and profiles.") var data = ".sign-up"
    @Option(help: "How long a session lasts, in days.") var sessionDays = 30.0

    func validate() throws {
        guard (1...65_535).contains(port) else { throw ValidationError("--port is 1 to 65535") }
        guard sessionDays > 0, sessionDays <= 400 else {
            throw ValidationError("--session-days is above 0, 400 at most")
        }
        guard let origin = URLComponents(string: origin), let host = origin.host, !host.isEmpty, origin.path.isEmpty,
            origin.query == nil, origin.fragment == nil, origin.user == nil,
            origin.scheme == "https" || (origin.scheme == "http" && host == "127.0.0.1")
        else { throw ValidationError("--url is https://HOST, or http://127.0.0.1:PORT on this machine") }
        guard URL(string: issuer)?.host() != nil else { throw ValidationError("--issuer is not a URL: \(issuer)") }
        guard URL(string: registry)?.host() != nil else {
            throw ValidationError("--registry is not a URL: \(registry)")
        }
    }

    private var origin: String { (url ?? "http://127.0.0.1:\(port)").lowercased() }

    func run() async throws {
        let key: String
        do {
            key = try String(contentsOfFile: registryKeyFile, encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
        } catch {
            throw ValidationError("\(registryKeyFile) can't be read; give a file with an access key of the registry")
        }
        guard !key.isEmpty else { throw ValidationError("\(registryKeyFile) is empty; it needs an access key") }
        var logger = Logger(label: "sign-up") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .notice
        let transport = AsyncHTTPTransport()
        do {
            try await serve(key: key, transport: transport, logger: logger)
        } catch {
            try? await transport.shutdown()
            throw error
        }
        try await transport.shutdown()
    }

    private func serve(key: String, transport: AsyncHTTPTransport, logger: Logger) async throws {
        guard let issuerURL = URL(string: issuer), let registryURL = URL(string: registry),
            let callback = URL(string: origin + "/callback")
        else { throw ValidationError("an address is not a URL") }
        let (issuer, clientID) = (issuer, clientID)
        let secret = ProcessInfo.processInfo.environment["SIGN_UP_CLIENT_SECRET"]
        let backend: @Sendable () throws -> OpenIDBackend = {
            try OpenIDBackend(
                issuer: issuerURL, clientID: clientID, clientSecret: secret, redirectURI: callback, timeout: .seconds(5)
            )
        }
        let folder = URL(filePath: data, directoryHint: .isDirectory)
        let sessions = WebSessions(
            folder: folder.appending(component: "sessions"), backend: try backend(),
            life: .seconds(sessionDays * 86_400), logger: logger)
        let idTokens = IDTokens(issuer: issuer, clientID: clientID, client: .shared)
        // A browser waits for the page. After a short time the page reports the failure, and its script retries.
        var limits = RegistryClient.Limits()
        limits.answer = .seconds(5)
        limits.budget = .seconds(6)
        limits.attempts = 3
        let site = Site(
            origin: origin, pages: try Pages(texts: PageTexts(), assets: Assets()), sessions: sessions,
            signIns: try SignIns(idTokens: idTokens, backend: backend),
            registry: RegistryClient(base: registryURL, credential: .key(key), transport: transport, limits: limits),
            drafts: JSONFolder(folder: folder.appending(component: "drafts")),
            profiles: JSONFolder(folder: folder.appending(component: "profiles")))
        let origin = origin
        var application = Application(
            router: site.router(logger: logger),
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { _ in
                print("Sign up at \(origin)/")
                fflush(nil)
            },
            logger: logger)
        application.addServices(SessionSweep(sessions: sessions))
        try await application.runService()
    }
}

/// Removes ended sessions, once an hour.
private struct SessionSweep: Service {
    let sessions: WebSessions

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await sessions.sweep()
                try await Task.sleep(for: .seconds(3600))
            }
        }
    }
}
