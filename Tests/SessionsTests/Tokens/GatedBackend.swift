import Sessions

/// A `MemoryBackend` with gates that stop its calls, and with faults of refreshes.
actor GatedBackend: AuthBackend {
    enum Gate {
        /// Before a refresh reaches the issuer, and before its answer returns.
        case refresh, refreshed
        /// Before the answer to a sign-in returns.
        case signIn
        case revocation, deletion
    }

    let issuer: MemoryBackend
    private(set) var revoked: [AuthTokens] = []
    private var closed: Set<Gate> = []
    private var stopped: [CheckedContinuation<Void, Never>] = []
    private var faults: [SessionError] = []
    private(set) var requests = 0

    init(lifetime: Duration? = .seconds(3600)) { issuer = MemoryBackend(lifetime: lifetime) }

    /// The number of calls that wait at a closed gate.
    var waiting: Int { stopped.count }

    func close(_ gate: Gate) { closed.insert(gate) }

    func open() {
        closed = []
        for continuation in stopped { continuation.resume() }
        stopped = []
    }

    private func pass(_ gate: Gate) async {
        guard closed.contains(gate) else { return }
        await withCheckedContinuation { stopped.append($0) }
    }

    /// The next refreshes throw these errors, and do not reach the issuer.
    func fail(_ faults: SessionError...) { self.faults += faults }

    func tokens(for credential: Credential) async throws(SessionError) -> AuthTokens {
        let tokens = try await issuer.tokens(for: credential)
        await pass(.signIn)
        return tokens
    }

    func refresh(_ refreshToken: String) async throws(SessionError) -> AuthTokens {
        requests += 1
        if !faults.isEmpty { throw faults.removeFirst() }
        await pass(.refresh)
        var tokens = try await issuer.refresh(refreshToken)
        // As at many issuers, a refresh brings no id token.
        tokens.idToken = nil
        await pass(.refreshed)
        return tokens
    }

    func revoke(_ tokens: AuthTokens) async throws(SessionError) {
        revoked.append(tokens)
        await pass(.revocation)
        try await issuer.revoke(tokens)
    }

    func resetPassword(email: String) async throws(SessionError) { try await issuer.resetPassword(email: email) }

    func deleteAccount(_ tokens: AuthTokens) async throws(SessionError) {
        await pass(.deletion)
        try await issuer.deleteAccount(tokens)
    }
}
