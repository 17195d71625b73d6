import NIOSSL

/// The certificate chain of the service and its key.
public struct TLSFiles: Sendable {
    let configuration: TLSConfiguration

    /// TLS 1.2 and later with what is in two files, in PEM.
    /// - Throws: `NIOSSLError` when they can't be read or don't belong together.
    public init(certificate: String, key: String) throws {
        let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // Says now, and not to the first caller, when they don't belong together.
        _ = try NIOSSLContext(configuration: configuration)
        self.configuration = configuration
    }
}
