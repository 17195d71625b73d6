import Foundation

/// The session in memory and in the store, which follow each other.
extension SessionController {
    var live: Live? {
        if case .live(let live) = holding { live } else { nil }
    }

    var presentState: SessionState {
        switch holding {
        case .unread: .unknown
        case .nothing(let reason): .signedOut(reason)
        case .live: .authenticated
        }
    }

    /// Reads the store if it has not been read yet, and repeats a write that failed. Called by every public method.
    func settle() {
        switch holding {
        case .unread: read()
        case .nothing: if isClearPending, isWriteDue { removeStored() }
        case .live(let live): if live.saving != .done, isWriteDue { saveAgain(live) }
        }
    }

    /// The session, or why there is none.
    func present() throws(SessionError) -> Live {
        switch holding {
        case .live(let live):
            return live
        case .nothing:
            throw .signedOut
        case .unread:
            do throws(StorageError) {
                _ = try stored()
                throw StorageError(.unreadable, "the store could not be read a moment ago; try again")
            } catch {
                throw .storage(error)
            }
        }
    }

    /// Begins a session, unless it can't be saved and must be.
    /// - Returns: why it was not saved.
    func begin(_ facts: Session, with tokens: AuthTokens, savedOnly: Bool) -> StorageError? {
        let session = StoredSession(facts, tokens: tokens, receivedAt: now())
        var problem: StorageError?
        var live = Live(session: session, endsAt: end(of: tokens.expiresIn))
        do throws(StorageError) {
            let data = try session.encoded()
            try reportDamage()
            try storage.save(data)
            live.storeHas = data
        } catch {
            problem = error
            live.saving = .signIn
        }
        if problem != nil {
            if savedOnly { return problem }
            writes.failed(at: timing.elapsed())
        } else {
            writes.reset()
        }
        raiseGeneration(.superseded)
        isClearPending = false
        holding = .live(live)
        states.send(.authenticated)
        return problem
    }

    /// Ends the session in memory.
    func end(_ reason: SignOutReason) {
        raiseGeneration(.signedOut)
        holding = .nothing(reason)
        states.send(.signedOut(reason))
    }

    /// The store's content, compared with a session that was saved in it.
    enum Found {
        case same
        /// Tokens that another program got. They are the present ones now.
        case newer(Live)
        /// Nothing, or another session.
        case gone
    }

    func found(of live: Live) throws(StorageError) -> Found {
        guard let data = try storage.load() else { return .gone }
        if data == live.storeHas { return .same }
        let session = try StoredSession(reading: data)
        guard session.id == live.session.id else { return .gone }
        let newer = Live(session: session, endsAt: end(of: session.remaining(at: now())), storeHas: data)
        holding = .live(newer)
        report(.adopted)
        return .newer(newer)
    }

    /// Ends a session that the issuer refused to renew, here and in the store.
    func endRefused(_ live: Live) {
        end(.remote)
        // Another program's newer content stays.
        if live.saving != .signIn, let data = try? storage.load(), data != live.storeHas { return }
        isClearPending = true
        writes.reset()
        settle()
    }

    /// Keeps renewed tokens, stored first. If the store can't, they are in memory until it can.
    /// - Returns: false when the session has ended in the store, and so here.
    func keep(_ tokens: AuthTokens, of live: Live) -> Bool {
        let session = StoredSession(live.session.facts, tokens: tokens, receivedAt: now())
        var renewed = Live(
            session: session, endsAt: end(of: tokens.expiresIn), storeHas: live.storeHas,
            saving: live.saving == .signIn ? .signIn : .renewal)
        do throws(StorageError) {
            guard try save(&renewed) else {
                end(.elsewhere)
                return false
            }
        } catch {
            writes.failed(at: timing.elapsed())
            report(.saveFailed(error))
        }
        holding = .live(renewed)
        return true
    }

    /// The end of a lifetime that begins now, by `timing`.
    private func end(of lifetime: Duration?) -> Duration? { lifetime.map { timing.elapsed() + $0 } }

    private var isWriteDue: Bool { writes.rest(at: timing.elapsed()) == nil }

    /// - Parameter error: for the waiters of the session that ended.
    private func raiseGeneration(_ error: SessionError) {
        generation += 1
        refreshes.reset()
        endFlight(with: error)
    }

    private func stored() throws(StorageError) -> (data: Data, session: StoredSession)? {
        guard let data = try storage.load() else { return nil }
        return (data, try StoredSession(reading: data))
    }

    private func read() {
        do throws(StorageError) {
            if let (data, session) = try stored() {
                holding = .live(Live(session: session, endsAt: end(of: session.remaining(at: now())), storeHas: data))
            } else {
                holding = .nothing(.neverSignedIn)
            }
            states.send(presentState)
        } catch {
            // Not known yet: the next call reads again.
        }
    }

    /// Reports that a sign-in is about to replace damaged content. A store that can't be read is not replaced.
    private func reportDamage() throws(StorageError) {
        guard let data = try storage.load() else { return }
        do throws(StorageError) {
            _ = try StoredSession(reading: data)
        } catch {
            report(.replacedDamaged(error))
        }
    }

    /// - Returns: false when the store has another session, or none any more.
    private func save(_ live: inout Live) throws(StorageError) -> Bool {
        let data = try live.session.encoded()
        if live.saving != .signIn, let old = live.storeHas {
            guard try storage.exchange(old, for: data) else { return false }
        } else {
            try reportDamage()
            try storage.save(data)
        }
        live.storeHas = data
        live.saving = .done
        return true
    }

    private func saveAgain(_ live: Live) {
        var live = live
        do throws(StorageError) {
            guard try save(&live) else { return end(.elsewhere) }
            writes.reset()
            holding = .live(live)
        } catch {
            writes.failed(at: timing.elapsed())
            report(.saveFailed(error))
        }
    }

    private func removeStored() {
        do throws(StorageError) {
            try storage.clear()
            isClearPending = false
            writes.reset()
        } catch {
            writes.failed(at: timing.elapsed())
            report(.clearFailed(error))
        }
    }
}
