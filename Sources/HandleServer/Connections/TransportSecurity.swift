package import HummingbirdCore

/// TLS for connections. The implementation is behind the package trait `TLS`.
package struct TransportSecurity: Sendable {
    /// Wraps a plain server in TLS.
    package let secure: @Sendable (_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder

    package init(secure: @escaping @Sendable (_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder) {
        self.secure = secure
    }
}
