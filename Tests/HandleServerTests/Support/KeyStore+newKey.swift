import HandleRegistry
import Testing

extension KeyStore {
    /// A new key, which the service knows.
    func newKey(_ scopes: Set<KeyScope>, _ name: String = "app", rate: Rate? = nil) async throws -> AccessKey {
        let key = try await create(#require(KeyGrant(name: name, scopes: scopes, rate: rate)), actor: "tester").key
        try await refresh()
        return key
    }
}
