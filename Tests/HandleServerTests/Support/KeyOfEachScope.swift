import HandleRegistry
import Testing

/// New keys, each with one scope.
func keyOfEachScope(in store: KeyStore) async throws -> [KeyScope: AccessKey] {
    var keys: [KeyScope: AccessKey] = [:]
    for scope in KeyScope.allCases {
        let grant = try #require(KeyGrant(name: "key-\(scope.rawValue)", scopes: [scope]))
        keys[scope] = try await store.create(grant, actor: "tester").key
    }
    try await store.refresh()
    return keys
}
