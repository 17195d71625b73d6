#if TLS
import AsyncHTTPClient
import Crypto
import Foundation
import HandleServer
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SwiftASN1
import TestService
import TestSupport
import Testing
import X509

/// The service with a certificate, and clients that trust it or do not.
@Suite(.timeLimit(.minutes(5))) struct TLSTests {
    /// The files of a self-signed certificate for `localhost` and of its key.
    private let (certificate, key): (String, String)

    init() throws {
        let folder = TemporaryFolder.make("tls")
        (certificate, key) = ("\(folder)/certificate.pem", "\(folder)/key.pem")
        try Self.makePair(certificate, key)
    }

    private static func makePair(_ certificate: String, _ key: String) throws {
        let secret = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let name = try DistinguishedName { CommonName("localhost") }
        let signed = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: secret.publicKey,
            notValidBefore: .now.addingTimeInterval(-3600), notValidAfter: .now.addingTimeInterval(3600),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                BasicConstraints.isCertificateAuthority(maxPathLength: nil)
                SubjectAlternativeNames([.dnsName("localhost")])
            }, issuerPrivateKey: secret)
        try signed.serializeAsPEM().pemString.write(toFile: certificate, atomically: true, encoding: .utf8)
        try secret.serializeAsPEM().pemString.write(toFile: key, atomically: true, encoding: .utf8)
    }

    private func withService(
        configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (_ client: TestSupport.HTTPClient) async throws -> Void
    ) async throws {
        let files = try TransportSecurity(certificate: certificate, key: key)
        try await withServer(
            configure: {
                $0.tls = files
                configure(&$0)
            }
        ) { client, _ in try await body(client) }
    }

    /// Sends `GET path` twice, on one connection if the service keeps it open.
    /// - Returns: the status and the body of each answer.
    private func get(
        _ path: String, port: Int, triesAgain: Bool = true, configure: (inout TLSConfiguration) -> Void = { _ in }
    ) async throws -> [String] {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(certificate)
        configure(&tls)
        var configuration = AsyncHTTPClient.HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.timeout.connect = .seconds(60)
        configuration.connectionPool.retryConnectionEstablishment = triesAgain
        let client = AsyncHTTPClient.HTTPClient(configuration: configuration)
        do {
            var answers: [String] = []
            for _ in 0..<2 {
                var request = HTTPClientRequest(url: "https://localhost:\(port)\(path)")
                request.headers.add(name: "Authorization", value: "Bearer \(testKey)")
                let answer = try await client.execute(request, timeout: .seconds(60))
                answers.append("\(answer.status.code) " + String(buffer: try await answer.body.collect(upTo: 1 << 20)))
            }
            try await client.shutdown()
            return answers
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    /// Waits until the service has no other connection.
    private func waitForOtherConnectionsToClose(_ port: Int) async throws {
        try await eventually("the other connections are closed") {
            await (try? get("/metrics", port: port))?[0].contains("handles_connections 1\n") == true
        }
    }

    @Test func onlyClientsThatTrustTheCertificateGetAnswers() async throws {
        try await withService { [self] client in
            let alive = try await get("/livez", port: client.port)
            #expect(alive == ["200 ok\n", "200 ok\n"])
            let checks = try await get("/v1/availability?handle=johndoe", port: client.port)
            #expect(checks.count == 2 && checks.allSatisfy { $0.hasPrefix("200 {") })
            try await waitForOtherConnectionsToClose(client.port)
            // This client does not trust the certificate.
            await #expect(throws: NIOSSLError.self) {
                try await get("/livez", port: client.port, triesAgain: false) { $0.trustRoots = .default }
            }
        }
    }

    /// The real program, with its certificate replaced twice: by files that don't belong together, and by a good pair.
    @Test func hangupReadsTheCertificateAgain() async throws {
        let folder = TemporaryFolder.make("reload")
        let (file, keyFile) = ("\(folder)/certificate.pem", "\(folder)/key.pem")
        try Self.makePair(file, keyFile)
        let service = try await Service(
            in: folder,
            ["HANDLES_TLS_CERTIFICATE": file, "HANDLES_TLS_KEY": keyFile, "HANDLES_ADMIN_KEY": testKey])
        let port = service.client.port
        func words(_ text: String) async throws {
            try await eventually(text) { try String(contentsOfFile: service.words, encoding: .utf8).contains(text) }
        }
        /// Whether a new connection gets the certificate in a file.
        func serves(_ file: String) async -> Bool {
            await (try? get("/livez", port: port, triesAgain: false) { $0.trustRoots = .file(file) }) != nil
        }
        let first = "\(folder)/first.pem"
        try FileManager.default.copyItem(atPath: file, toPath: first)
        #expect(await serves(first))
        try String(contentsOfFile: certificate, encoding: .utf8).write(toFile: file, atomically: true, encoding: .utf8)
        service.signal(SIGHUP)
        try await words("the old one stays in use")
        #expect(await serves(first))
        #expect(await !serves(certificate))
        try String(contentsOfFile: key, encoding: .utf8).write(toFile: keyFile, atomically: true, encoding: .utf8)
        service.signal(SIGHUP)
        try await words("was read again")
        #expect(await serves(certificate))
        #expect(await !serves(first))
        #expect(await service.end(SIGTERM) == 0)
    }

    @Test func oldTLSVersionsAndPlainHTTPAreRefused() async throws {
        try await withService { [self] client in
            await #expect(throws: (any Error).self) {
                try await get("/livez", port: client.port, triesAgain: false) {
                    $0.minimumTLSVersion = .tlsv1
                    $0.maximumTLSVersion = .tlsv11
                }
            }
            let descriptor = try client.connect()
            defer { close(descriptor) }
            TestSupport.HTTPClient.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", on: descriptor)
            #expect(await !TestSupport.HTTPClient.rest(of: descriptor).contains("HTTP/1.1"))
        }
    }

    /// An unfinished handshake counts as an unfinished request, and a silent connection as an idle one.
    @Test(arguments: ["", "\u{16}\u{3}\u{1}\u{2}"])
    func slowHandshakeIsClosedAfterATimeout(_ beginning: String) async throws {
        try await withService(configure: {
            $0.limits.requestTime = .seconds(1)
            $0.limits.idleTime = .seconds(1)
        }) { [self] client in
            let descriptor = try client.connect()
            defer { close(descriptor) }
            TestSupport.HTTPClient.send(beginning, on: descriptor)
            _ = await TestSupport.HTTPClient.rest(of: descriptor)
            // A client that is not slow gets an answer, unless the machine stalls for a second; then it tries again.
            try await eventually("the service answers") { await (try? get("/livez", port: client.port)) != nil }
            // The service has closed the slow connection: reading did not end by the timeout of the test's client.
            try await waitForOtherConnectionsToClose(client.port)
        }
    }

    /// The connection is idle between the handshake and the first request.
    @Test func requestTimeoutBeginsWithTheRequestAndNotWithTheHandshake() async throws {
        try await withService(configure: { $0.limits.requestTime = .seconds(1) }) { [certificate] client in
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(certificate)
            let context = try NIOSSLContext(configuration: tls)
            // On a machine that stalls for a second the handshake itself may time out, so it is tried again.
            try await eventually("a request that begins after the request timeout is answered") {
                let answer = try? await askLater(context, client.port)
                return answer?.hasPrefix("HTTP/1.1 200 ") == true && answer?.hasSuffix("ok\n") == true
            }
        }
    }

    /// Completes the handshake, waits longer than the request timeout, and sends a request.
    private func askLater(_ context: NIOSSLContext, _ port: Int) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
                    try channel.pipeline.syncOperations.addHandler(handler)
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            // An empty write completes together with the handshake.
            try await outbound.write(ByteBuffer())
            try await Task.sleep(for: .milliseconds(1200))
            let request = "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            try await outbound.write(ByteBuffer(string: request))
            return try await inbound.reduce(into: "") { $0 += String(buffer: $1) }
        }
    }
}
#endif
