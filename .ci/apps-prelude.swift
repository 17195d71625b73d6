import AuthorizedRequests
import CookieSessions
import FileSessionStorage
import Foundation
import HandleClient
import HandleRules
import Onboarding
import OpenIDSessions
import Sessions

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

actor Cache {
    func removeAll() {}
    func reset() throws {}
}

let folder = URL(fileURLWithPath: "/tmp/app")
let (url, issuer, redirectURI, callback, forum) = (folder, folder, folder, folder, folder)
let (name, password, person) = ("jane", "secret", "jane")
let request = URLRequest(url: folder)
let (images, store) = (Cache(), Cache())
let tokens = AuthTokens(accessToken: "access")
let session = SessionController()
let backend = MemoryBackend()
let profiles = ProfileStore(load: { _ in nil }, save: { _ in })
let registry = RegistryClient(base: url)
@MainActor let auth = AuthService(backend: backend, storage: MemoryStorage()) { _ in "Jane" }
@MainActor let manager = AuthStateManager(
    backend: backend, storage: MemoryStorage(), registry: url, profiles: profiles)
