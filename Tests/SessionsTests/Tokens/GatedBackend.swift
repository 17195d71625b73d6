import Sessions

/// A `MemoryBackend` with gates. Refreshes can be stopped before they reach the issuer and before their answer returns,
/// and can be made to fail.
actor GatedBackend: AuthBackend {
    enum Step: CaseIterable {
        case there, back
    }

    /// A fault of the next refresh.
    enum Fault {
        /// The issuer never saw the request.
        case unsent(AuthError)
        /// The refresh throws `.answerLost`, and the old refresh token stays valid, as with a grace time.
        case lost
    }

    let issuer: MemoryBackend
    private(set) var revoked: [AuthTokens] = []
    private var closed: Set<Step> = []
    private var isSignInClosed = false
    private var isDeletionClosed = false
    private var stopped: [CheckedContinuation<Void, Never>] = []
    private var faults: [Fault] = []
    private(set) var requests = 0

    init(lifetime: Duration? = .seconds(3600)) { issuer = MemoryBackend(lifetime: lifetime) }

    /// The number of calls that wait at a closed gate.
    var waiting: Int { stopped.count }

    func close(_ step: Step) { closed.insert(step) }

    func open() {
        closed = []
        isSignInClosed = false
        isDeletionClosed = false
        for continuation in stopped { continuation.resume() }
        stopped = []
    }

    func fail(_ faults: Fault...) { self.faults += faults }

    func tokens(for credential: Credential) async throws(AuthError) -> AuthTokens {
        let tokens = try await issuer.tokens(for: credential)
        if isSignInClosed { await withCheckedContinuation { stopped.append($0) } }
        return tokens
    }

    /// From now on sign-ins wait before their answer returns.
    func closeSignIn() { isSignInClosed = true }

    func refresh(_ refreshToken: String) async throws(AuthError) -> AuthTokens {
        requests += 1
        let fault = faults.isEmpty ? nil : faults.removeFirst()
        if case .unsent(let error) = fault { throw error }
        await pass(.there)
        // After a lost answer the issuer's old token stays valid, as with a grace time.
        if case .lost = fault { throw .answerLost }
        let tokens = try await issuer.refresh(refreshToken)
        await pass(.back)
        return tokens
    }

    func revoke(_ tokens: AuthTokens) async throws(AuthError) {
        revoked.append(tokens)
        try await issuer.revoke(tokens)
    }

    func resetPassword(email: String) async throws(AuthError) { try await issuer.resetPassword(email: email) }

    func deleteAccount(_ tokens: AuthTokens) async throws(AuthError) {
        if isDeletionClosed { await withCheckedContinuation { stopped.append($0) } }
        try await issuer.deleteAccount(tokens)
    }

    /// From now on deletions wait before they reach the issuer.
    func closeDeletion() { isDeletionClosed = true }

    private func pass(_ step: Step) async {
        guard closed.contains(step) else { return }
        await withCheckedContinuation { stopped.append($0) }
    }
}
