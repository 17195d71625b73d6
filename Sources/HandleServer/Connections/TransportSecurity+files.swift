#if TLS
import HummingbirdTLS
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL

extension TransportSecurity {
    /// TLS 1.2 and later with a certificate chain and its key, from two PEM files.
    /// - Throws: `NIOSSLError` when they can't be read or don't match.
    package init(certificate: String, key: String) throws {
        @Sendable func read() throws -> TLSConfiguration {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            // A mismatched pair fails here, not at the first connection.
            _ = try NIOSSLContext(configuration: configuration)
            return configuration
        }
        var first = try read()
        let current = NIOLockedValueBox(first.pair)
        first.sslContextCallback = { _, promise in promise.succeed(current.withLockedValue(\.self)) }
        self.init { [first] plain in
            try .tls(plain, tlsConfiguration: first)
        } reload: {
            let pair = try read().pair
            current.withLockedValue { $0 = pair }
        }
    }
}

extension TLSConfiguration {
    /// The certificate chain and its key, for a handshake.
    fileprivate var pair: NIOSSLContextConfigurationOverride {
        var pair = NIOSSLContextConfigurationOverride()
        (pair.certificateChain, pair.privateKey) = (certificateChain, privateKey)
        return pair
    }
}
#endif
