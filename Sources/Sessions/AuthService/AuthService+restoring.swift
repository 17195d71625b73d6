import Foundation

/// Restores sessions of earlier launches, and follows changes of the session in the controller.
extension AuthService {
    /// Restores the stored session. `session` is `.loading`, then the profile, nil without a session, or an error when
    /// the profile is not known. Without a connection the person stays signed in; call this again later. Concurrent
    /// calls share one restore.
    public func restoreSession() async {
        let running =
            restoring
            ?? Task {
                await restore()
                restoring = nil
            }
        restoring = running
        await running.value
    }

    private func restore() async {
        let (signOuts, shown) = (signOuts, currentSession?.id)
        let isKnownToBeSignedOut = shown == nil && session.value != nil
        if shown == nil { session = .loading }
        do {
            try await unlockStoredSession()
        } catch {
            let locked = await controller.current?.id
            guard signOuts == self.signOuts else { return await restore() }
            if shown == currentSession?.id {
                lockedSession = locked
                session = .failure(error)
            }
            return
        }
        var isDone = false
        while !isDone {
            guard signOuts == self.signOuts else { return await restore() }
            let stored = await controller.current
            let profile = await loadedProfile()
            isDone = await changes.run { [self] in
                let (present, state) = await controller.overview
                // If they differ, the session was replaced while its profile was loading.
                guard signOuts == self.signOuts, stored?.id == present?.id else { return false }
                if let present {
                    show(present, profile)
                } else if isKnownToBeSignedOut {
                    forget()
                } else {
                    showNoSession(state, profile)
                }
                return true
            }
        }
    }

    /// Without a stored session there is nothing to unlock. A store that can't be read may have one.
    private func unlockStoredSession() async throws {
        let state = await changes.run { [controller] in await controller.state }
        if case .signedOut = state { return }
        try await unlock?()
    }

    private func loadedProfile() async -> Loadable<Profile?> {
        let (tokens, fault): (AuthTokens, SessionError?)
        do throws(SessionError) {
            (tokens, fault) = (try await controller.tokens(), nil)
        } catch {
            // Without a connection expired tokens can't be renewed, but an app may keep its profiles on the device.
            guard error.isTransient, let stored = await controller.storedTokens else { return .failure(error) }
            (tokens, fault) = (stored, error)
        }
        do {
            return .success(try await loadProfile(tokens))
        } catch {
            return .failure(fault ?? error)
        }
    }

    private func show(_ present: Session, _ profile: Loadable<Profile?>) {
        if present.id != currentSession?.id {
            use(present, profile, .restored)
        } else if currentUser == nil || profile.error == nil {
            // A failure keeps a profile that was loaded before.
            session = profile
        }
    }

    private func showNoSession(_ state: SessionState, _ profile: Loadable<Profile?>) {
        switch state {
        case .signedOut(.neverSignedIn), .signedOut(.requested):
            if currentSession == nil { forget() } else { end(.requested) }
        case .signedOut(let reason):
            end(reason)
        case .unknown, .authenticated:
            // The store can't be read.
            if profile.error != nil { session = profile }
        }
    }

    /// Follows changes of the session in the controller until the task is cancelled: a refused refresh, a sign-out of
    /// another program that a refresh detects, and tokens that are set on the controller.
    public func observeAuthState() async {
        for await _ in await controller.stateStream { await follow() }
    }

    /// Compares the shown session with that of the controller.
    func follow() async {
        let found = await changes.run { [self] () -> UUID? in
            let shown = currentSession?.id
            let (present, state) = await controller.overview
            // They differ after a sign-out, which changes the controller itself.
            guard shown == currentSession?.id, present?.id != shown else { return nil }
            if present == nil, case .signedOut(let reason) = state { end(reason) }
            return present?.id
        }
        if let found, found != lockedSession { await restoreSession() }
    }
}
