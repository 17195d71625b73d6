import Foundation
import HTTPLoading

/// Keeps the session in memory and the session in the store consistent.
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

    /// Reads the store if it has not been read yet, and retries a failed write. Called by every public method.
    func settle() {
        switch holding {
        case .unread: read()
        case .nothing: if let removal, isWriteDue { removeStored(removal) }
        case .live(let live): if live.saving != .done, isWriteDue { saveAgain(live) }
        }
    }

    /// The session, or the reason why there is none.
    func present() throws(SessionError) -> Live {
        switch holding {
        case .live(let live):
            return live
        case .nothing:
            throw .signedOut
        case .unread:
            _ = try stored()
            throw SessionError(.storeUnreadable, "the store could not be read a moment ago; try again")
        }
    }

    /// Begins a session. If the save fails, `savedOnly` decides: true changes nothing, false keeps the session in
    /// memory.
    /// - Returns: the error of the save; nil if it was saved.
    func begin(_ facts: Session, with tokens: AuthTokens, savedOnly: Bool) -> SessionError? {
        let session = StoredSession(facts, tokens: tokens, receivedAt: now())
        var problem: SessionError?
        var live = Live(session: session, endsAt: end(of: tokens.expiresIn))
        do throws(SessionError) {
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
        actions += 1
        removal = nil
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
        /// Tokens that another program obtained. They are the current ones now.
        case newer(Live)
        /// Nothing, or another session.
        case gone
    }

    func found(of live: Live) throws(SessionError) -> Found {
        guard let data = try storage.load() else { return .gone }
        if data == live.storeHas { return .same }
        let session = try StoredSession(reading: data)
        guard session.id == live.session.id else { return .gone }
        let newer = Live(session: session, endsAt: end(of: session.remaining(at: now())), storeHas: data)
        holding = .live(newer)
        report(.adopted)
        return .newer(newer)
    }

    /// Ends a session that the issuer refused to refresh, in memory and in the store.
    func endRefused(_ live: Live) {
        end(.remote)
        if live.saving == .signIn {
            remove(.anything)
        } else if let data = live.storeHas {
            remove(.content(data))
        }
    }

    /// The stored content that may be removed. Another program may have saved other content since.
    enum Removal {
        /// Any content, including content that a sign-in was about to replace.
        case anything
        /// This session, including newer tokens of it.
        case session(UUID)
        /// Exactly this content; newer tokens of the same session stay.
        case content(Data)
    }

    /// Removes ended content from the store, now or later.
    /// - Parameter evenUnread: whether to remove content that can't be read now.
    func remove(_ removal: Removal, evenUnread: Bool = false) {
        writes.reset()
        removeStored(removal, evenUnread: evenUnread)
    }

    /// Saves refreshed tokens, then uses them. If the save fails, they are used from memory and saved later.
    /// - Returns: the tokens to use: these, or those of another program that refreshed first. Nil when the session has
    ///   ended in the store, and so here.
    func keep(_ tokens: AuthTokens, of live: Live) -> AuthTokens? {
        let session = StoredSession(
            live.session.facts, tokens: tokens, subject: live.session.subject, receivedAt: now())
        var renewed = Live(
            session: session, endsAt: end(of: tokens.expiresIn), storeHas: live.storeHas,
            saving: live.saving == .signIn ? .signIn : .renewal)
        do throws(SessionError) {
            guard try save(&renewed) else { return try adoptOrEnd(renewed)?.tokens }
        } catch {
            writes.failed(at: timing.elapsed())
            report(.saveFailed(error))
        }
        holding = .live(renewed)
        return tokens
    }

    /// Handles a store with other content than the session was read from.
    /// - Returns: the newer session of the same person; nil when there is none, and the session has ended.
    private func adoptOrEnd(_ live: Live) throws(SessionError) -> Live? {
        switch try found(of: live) {
        case .newer(let newer):
            writes.reset()
            return newer
        case .same:
            throw SessionError(.notSaved, "another program wrote at the same moment")
        case .gone:
            end(.elsewhere)
            return nil
        }
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

    private func stored() throws(SessionError) -> (data: Data, session: StoredSession)? {
        guard let data = try storage.load() else { return nil }
        return (data, try StoredSession(reading: data))
    }

    private func read() {
        do throws(SessionError) {
            if let (data, session) = try stored() {
                holding = .live(Live(session: session, endsAt: end(of: session.remaining(at: now())), storeHas: data))
            } else {
                holding = .nothing(.neverSignedIn)
            }
            states.send(presentState)
        } catch {
            // Still unknown: the next call reads again.
        }
    }

    /// Reports that a sign-in is about to replace damaged content. A store that can't be read is not replaced.
    private func reportDamage() throws(SessionError) {
        guard let data = try storage.load() else { return }
        do throws(SessionError) {
            _ = try StoredSession(reading: data)
        } catch {
            report(.replacedDamaged(error))
        }
    }

    /// - Returns: false when the store has another session, or none.
    private func save(_ live: inout Live) throws(SessionError) -> Bool {
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
        do throws(SessionError) {
            guard try save(&live) else {
                _ = try adoptOrEnd(live)
                return
            }
            writes.reset()
            holding = .live(live)
        } catch {
            writes.failed(at: timing.elapsed())
            report(.saveFailed(error))
        }
    }

    private func removeStored(_ removal: Removal, evenUnread: Bool = false) {
        do throws(SessionError) {
            if try isStored(removal, evenUnread: evenUnread) { try storage.clear() }
            self.removal = nil
            writes.reset()
        } catch {
            self.removal = removal
            writes.failed(at: timing.elapsed())
            report(.clearFailed(error))
        }
    }

    private func isStored(_ removal: Removal, evenUnread: Bool) throws(SessionError) -> Bool {
        if case .anything = removal { return true }
        let data: Data?
        do throws(SessionError) {
            data = try storage.load()
        } catch {
            if evenUnread { return true }
            throw error
        }
        switch removal {
        case .anything: return true
        case .content(let content): return data == content
        case .session(let id): return (data.flatMap { try? StoredSession(reading: $0) })?.id == id
        }
    }
}
