import Foundation
import HandleClient
import HandleRegistry
import HandleServer
import Onboarding
import TestService
import TestSupport
import Testing

/// A service, with the clients of its operator and of people.
struct Place: Sendable {
    static let key = "test-key-0123456789"

    let base: URL
    /// The client of the operator.
    let admin: RegistryClient
    let registry: Registry

    static func run(
        policy: Policy = Policy(), tokens: TokenVerifier? = UnsignedToken.verifier(),
        _ body: @escaping @Sendable @MainActor (Place) async throws -> Void
    ) async throws {
        let registry = try await freshRegistry(policy: policy)
        try await withApplication(
            registry, authenticator: Authenticator(first: key, ring: KeyRing(), tokens: tokens)
        ) { port in
            let base = try #require(URL(string: "http://127.0.0.1:\(port)"))
            let admin = RegistryClient(
                base: base, credential: .key(key), transport: URLSessionTransport.patient, limits: .patient)
            try await body(Place(base: base, admin: admin, registry: registry))
        }
    }

    func client(
        of person: String, over transport: any Transport = URLSessionTransport.patient,
        token: (@Sendable (String?) async throws -> String)? = nil
    ) -> RegistryClient {
        var limits = RegistryClient.Limits.patient
        limits.pause = .zero
        return RegistryClient(
            base: base, credential: .person(token: token ?? { _ in UnsignedToken.make(for: person) }),
            transport: transport, limits: limits)
    }

    /// The onboarding of a person on a clock without pauses.
    @MainActor func onboarding(
        of person: String = "jane", client: RegistryClient? = nil, profiles: ProfileStore = Profiles().store,
        finished: @escaping @MainActor (UserProfile) -> Void = { _ in }
    ) -> OnboardingModel {
        OnboardingModel(
            userID: person, client: client ?? self.client(of: person), profiles: profiles, clock: ImmediateClock(),
            finished: finished)
    }
}

extension OnboardingModel {
    /// Goes to the second step.
    func hold(_ name: String) async throws {
        start()
        field.text = name
        next()
        try await eventually("\(name) is held") { step == .displayName }
    }

    /// Continues from the second step.
    func submit(_ displayName: String = "Jane Roe") {
        self.displayName = displayName
        next()
    }

    var isDone: Bool { step == .done }
}
