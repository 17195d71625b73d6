#if TLS
package import HandleServer
import HummingbirdTLS
import NIOSSL

extension TransportSecurity {
    /// TLS 1.2 and later with a certificate chain and its key, from two PEM files.
    /// - Throws: `NIOSSLError` when they can't be read or don't match.
    package init(certificate: String, key: String) throws {
        let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // A mismatched pair fails here, not at the first connection.
        _ = try NIOSSLContext(configuration: configuration)
        self.init { [configuration] plain in try .tls(plain, tlsConfiguration: configuration) }
    }
}
#endif
