/// Restores sessions of earlier launches, and follows changes of the session in the controller.
extension AuthService {
    /// Restores the stored session. `session` is `.loading`, then the profile, nil without a session, or an error when
    /// the profile is not known. Without a connection the person stays signed in; call this again later. Concurrent
    /// calls share one restore.
    public func restoreSession() async {
        var isDone = false
        while !isDone {
            let running =
                restoring
                ?? Task {
                    let isDone = await restore()
                    restoring = nil
                    return isDone
                }
            restoring = running
            isDone = await running.value
        }
    }

    /// - Returns: false when a sign-out interrupted it, so that nothing was restored.
    private func restore() async -> Bool {
        _ = await clearing?.value
        let (signOuts, shown) = (signOuts, currentSession?.id)
        let isKnownToBeSignedOut = shown == nil && session.value != nil
        if shown == nil { session = .loading }
        do {
            try await unlockStoredSession()
        } catch {
            let locked = await controller.current?.id
            guard signOuts == self.signOuts else { return false }
            if shown == currentSession?.id {
                lockedSession = locked
                session = .failure(error)
            }
            return true
        }
        while signOuts == self.signOuts {
            let stored = await controller.current
            let profile = await loadedProfile()
            let (present, state) = await controller.overview
            // If they differ, the session was replaced while its profile was loading.
            guard stored?.id == present?.id else { continue }
            guard signOuts == self.signOuts else { return false }
            if let present {
                show(present, profile)
            } else if isKnownToBeSignedOut {
                forget()
            } else {
                await showNoSession(state, profile)
            }
            return true
        }
        return false
    }

    /// Without a stored session there is nothing to unlock. A store that can't be read may have one.
    private func unlockStoredSession() async throws {
        guard let unlock else { return }
        if case .signedOut = await controller.state { return }
        try await unlock()
    }

    private func loadedProfile() async -> Result<Profile, any Error> {
        do {
            return .success(try await loadProfile(try await controller.tokens()))
        } catch {
            return .failure(error)
        }
    }

    private func show(_ present: Session, _ profile: Result<Profile, any Error>) {
        let isKnown = present.id == currentSession?.id
        switch profile {
        case .success(let profile):
            if isKnown { session = .success(profile) } else { use(present, profile, .restored) }
        case .failure(let error):
            // Keeps a profile that was loaded before.
            if isKnown, currentUser != nil { return }
            session = .failure(error)
            guard !isKnown else { return }
            currentSession = present
            isAuthenticated = true
            startTimer(for: present)
        }
    }

    private func showNoSession(_ state: SessionState, _ profile: Result<Profile, any Error>) async {
        switch state {
        case .signedOut(.neverSignedIn), .signedOut(.requested):
            if currentSession == nil { forget() } else { await ended(.requested) }
        case .signedOut(let reason):
            await ended(reason)
        case .unknown, .authenticated:
            // The store can't be read.
            if case .failure(let error) = profile { session = .failure(error) }
        }
    }

    /// Follows changes of the session in the controller until the task is cancelled: a refused refresh, a sign-out of
    /// another program that a refresh detects, and tokens that are set on the controller.
    public func observeAuthState() async {
        for await _ in await controller.stateStream { await follow() }
    }

    /// Handles changes that happened during a sign-in; called after it.
    func lookAgain() async {
        // Without an observer, the shown session may have ended unnoticed.
        guard hasMissedChange || currentSession != nil else { return }
        hasMissedChange = false
        await follow()
    }

    /// Compares the shown session with that of the controller.
    func follow() async {
        _ = await clearing?.value
        while true {
            let shown = currentSession?.id
            let (present, state) = await controller.overview
            guard signInsUnderWay == 0 else {
                hasMissedChange = true
                return
            }
            // If they differ, the shown session has changed meanwhile.
            guard shown == currentSession?.id else { continue }
            guard present?.id != shown else { return }
            if let present {
                if present.id != lockedSession { await restoreSession() }
            } else if case .signedOut(let reason) = state {
                await ended(reason)
            }
            return
        }
    }
}
