package import HummingbirdCore

/// Encrypts connections. The implementation is built with the trait `TLS`.
package struct TransportSecurity: Sendable {
    /// Puts TLS in front of a plain server.
    package let secure: @Sendable (_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder

    package init(secure: @escaping @Sendable (_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder) {
        self.secure = secure
    }
}
