package import HummingbirdCore

/// TLS for connections. The implementation is behind the package trait `TLS`.
package struct TransportSecurity: Sendable {
    /// Wraps a plain server in TLS.
    package let secure: @Sendable (_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder

    /// Reads the certificate again, for new connections. If that fails, the old one stays in use.
    package let reload: @Sendable () throws -> Void

    package init(
        secure: @escaping @Sendable (_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder,
        reload: @escaping @Sendable () throws -> Void
    ) {
        (self.secure, self.reload) = (secure, reload)
    }
}
