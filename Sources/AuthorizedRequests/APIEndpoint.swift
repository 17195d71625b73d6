public import Foundation

/// A call of the app's own service, and the type of its response.
///
/// ```swift
/// struct Friends: APIEndpoint {
///     typealias Response = [String]
///     let path = "v1/friends"
/// }
/// let api = try APIClient(base: url, session: session)
/// let friends = try await api.execute(Friends())
/// ```
public protocol APIEndpoint {
    /// Decoded from the JSON of the response. ``NoContent`` ignores the body.
    associatedtype Response: Decodable

    /// `GET` by default.
    var method: String { get }
    /// Relative to the base of the client, without a query.
    var path: String { get }
    /// None by default.
    var query: [URLQueryItem] { get }
    /// JSON; nil by default.
    var body: Data? { get }
    /// Whether the request carries the person's access token; true by default.
    var requiresAuth: Bool { get }
}

extension APIEndpoint {
    public var method: String { "GET" }
    public var query: [URLQueryItem] { [] }
    public var body: Data? { nil }
    public var requiresAuth: Bool { true }
}

/// The response of a call that returns nothing to decode, such as 204.
public struct NoContent: Decodable, Sendable {
    init() {}
    public init(from decoder: any Decoder) throws {}
}
