package import HummingbirdCore

/// Encrypts connections. What knows how is behind the trait `TLS`.
package struct TransportSecurity: Sendable {
    /// The server that speaks TLS in front of a plain one.
    package let secure: @Sendable (_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder

    package init(secure: @escaping @Sendable (_ plain: HTTPServerBuilder) throws -> HTTPServerBuilder) {
        self.secure = secure
    }
}
