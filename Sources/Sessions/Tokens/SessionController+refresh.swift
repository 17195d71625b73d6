import Foundation
import HTTPLoading

/// Refreshes the tokens with one request for all callers.
extension SessionController {
    typealias Answer = Result<AuthTokens, SessionError>

    /// A running refresh. It continues without its waiters.
    struct Flight {
        let id: UInt64
        /// The session to refresh.
        let session: Live
        var waiters: [UInt64: CheckedContinuation<Answer, Never>] = [:]
        /// Held while no other program may refresh.
        var lock: StorageLock?
        var task: Task<Void, Never>?
        var timeout: Task<Void, Never>?
    }

    /// The session's facts and its tokens. The tokens are refreshed first if `part` of them was rejected, or if the
    /// access token expires soon.
    func freshTokens(
        rejected: String? = nil, _ part: (AuthTokens) -> String = { $0.accessToken }
    ) async throws(SessionError) -> (facts: Session, tokens: AuthTokens) {
        if Task.isCancelled { throw .cancelled }
        settle()
        let live = try present()
        let isRejected = rejected == part(live.tokens)
        guard isRejected || endsSoon(live) else { return (live.session.facts, live.tokens) }
        // A token that is refreshed before its end can still be used if the refresh fails.
        let isUsable = !isRejected && !hasEnded(live)
        let answer = await renewed(live)
        // After a new sign-in, the service would reject the token again.
        if isRejected, !hasEnded(live), live.session.isNew(at: now(), limits.new), answer == .failure(.noRefreshToken) {
            throw .newTokenRejected
        }
        if isUsable, case .failure(let error) = answer, error.leavesTheSession, let present = self.live {
            // Another session may have begun before this caller resumed.
            guard present.session.id == live.session.id else { throw .superseded }
            return (present.session.facts, present.tokens)
        }
        return (live.session.facts, try answer.get())
    }

    /// Ends the flight for its waiters. The request continues, so that its tokens can be revoked.
    func endFlight(with error: SessionError) {
        guard let ended = flight else { return }
        flight = nil
        ended.timeout?.cancel()
        for waiter in ended.waiters.values { waiter.resume(returning: .failure(error)) }
    }

    private func hasEnded(_ live: Live) -> Bool { live.endsAt.map { $0 <= timing.elapsed() } ?? false }

    private func endsSoon(_ live: Live) -> Bool {
        guard let endsAt = live.endsAt else { return false }
        // At most half of a short lifetime; otherwise each call would refresh the token.
        let early = min(limits.early, (live.tokens.expiresIn ?? .zero) / 2)
        return endsAt - early <= timing.elapsed()
    }

    private func renewed(_ live: Live) async -> Answer {
        guard live.tokens.refreshToken != nil, backend != nil else { return .failure(.noRefreshToken) }
        if flight == nil {
            if let rest = refreshes.rest(at: timing.elapsed()) { return .failure(.unreachable(retryAfter: rest)) }
            begin(live)
        }
        lastID += 1
        let waiter = lastID
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: .failure(.cancelled))
                } else {
                    flight?.waiters[waiter] = continuation
                }
            }
        } onCancel: {
            Task { await self.giveUp(waiter) }
        }
    }

    private func giveUp(_ waiter: UInt64) {
        flight?.waiters.removeValue(forKey: waiter)?.resume(returning: .failure(.cancelled))
    }

    private func begin(_ live: Live) {
        lastID += 1
        let id = lastID
        flight = Flight(id: id, session: live)
        flight?.task = Task { self.land(id, await self.fly(id, live)) }
        let limit = limits.refresh, timing = timing
        flight?.timeout = Task {
            guard (try? await timing.sleep(limit)) != nil else { return }
            self.timeOut(id)
        }
    }

    private func timeOut(_ id: UInt64) {
        guard let late = flight, late.id == id else { return }
        refreshes.failed(at: timing.elapsed())
        endFlight(with: .timedOut)
        late.task?.cancel()
    }

    private func land(_ id: UInt64, _ answer: Answer) {
        guard let landed = flight, landed.id == id else { return }
        flight = nil
        landed.timeout?.cancel()
        for waiter in landed.waiters.values { waiter.resume(returning: answer) }
    }

    private func fly(_ id: UInt64, _ live: Live) async -> Answer {
        let generation = generation
        do throws(SessionError) {
            try await takeLock(id)
            // The late answer of an earlier request may have refreshed the session meanwhile.
            guard let present = self.live else { throw .signedOut }
            if present.tokens != live.tokens, !endsSoon(present) { return .success(present.tokens) }
            let (current, isNewer) = try presentInStore(present)
            if isNewer, !endsSoon(current) { return .success(current.tokens) }
            guard let backend, let old = current.tokens.refreshToken else { throw .noRefreshToken }
            let answer = await request(old, of: current.session.subject, from: backend)
            guard generation == self.generation else {
                if case .success(let tokens) = answer { await revokeLate(tokens) }
                throw .superseded
            }
            return .success(try await take(answer, of: old))
        } catch {
            return .failure(error)
        }
    }

    /// Waits until no other program is refreshing.
    private func takeLock(_ id: UInt64) async throws(SessionError) {
        while flight?.id == id {
            do throws(SessionError) {
                if let lock = try storage.tryLock() {
                    flight?.lock = lock
                    return
                }
            } catch {
                // If the lock can't be created, as on a full disk, other programs can't save refreshed tokens either.
                report(.lockFailed(error))
                return
            }
            guard (try? await timing.sleep(limits.lockPause)) != nil else { break }
        }
        throw .superseded
    }

    /// The session as it is stored now: another program may have refreshed or ended it.
    private func presentInStore(_ live: Live) throws(SessionError) -> (Live, isNewer: Bool) {
        // Tokens that could not be saved are newer than the store.
        if live.saving != .done { return (live, false) }
        do throws(SessionError) {
            switch try found(of: live) {
            case .same: return (live, false)
            case .newer(let newer): return (newer, true)
            case .gone: break
            }
        } catch {
            // Another program may have used the refresh token, so it is kept unused until the store can be read.
            refreshes.failed(at: timing.elapsed())
            throw error
        }
        end(.elsewhere)
        throw .signedOut
    }

    /// - Parameter subject: of the session; nil if unknown. Tokens of another person are revoked and refused.
    private func request(
        _ refreshToken: String, of subject: String?, from backend: any AuthBackend
    ) async -> Result<AuthTokens, SessionError> {
        var isFirst = true
        while true {
            do throws(SessionError) {
                let tokens = try await backend.refresh(refreshToken)
                guard tokens.idToken == nil || subject == nil || tokens.idSubject == subject else {
                    try? await revoke(tokens)
                    throw .refused(code: "wrong_subject")
                }
                return .success(tokens)
            } catch {
                // Issuers accept the old token once more for some seconds, but no longer.
                guard error.code == .answerLost, isFirst else { return .failure(error) }
                isFirst = false
            }
        }
    }

    /// Applies the issuer's answer to the session.
    private func take(
        _ answer: Result<AuthTokens, SessionError>, of used: String
    ) async throws(SessionError) -> AuthTokens {
        guard let live else { throw .signedOut }
        // This request timed out for its callers, and a later refresh succeeded before this answer arrived.
        guard live.tokens.refreshToken == used else { return live.tokens }
        switch answer {
        case .success(var tokens):
            tokens.refreshToken = tokens.refreshToken ?? used
            guard let kept = keep(tokens, of: live) else {
                await revokeLate(tokens)
                throw .signedOut
            }
            refreshes.reset()
            report(.refreshed)
            return kept
        case .failure(let error) where error.code == .refused:
            report(.refreshFailed(error))
            // In a store without a lock, another program may have refreshed first.
            let (present, isNewer) = try presentInStore(live)
            if isNewer { return present.tokens }
            endRefused(present)
            throw .signedOut
        case .failure(let error) where error.code == .cancelled:
            throw .timedOut
        case .failure(let error):
            report(.refreshFailed(error))
            if error.code == .unsupported { throw .noRefreshToken }
            refreshes.failed(at: timing.elapsed(), least: error.retryAfter.map { min($0, limits.longestRetryAfter) })
            throw .unreachable(retryAfter: refreshes.rest(at: timing.elapsed()))
        }
    }

    private func revokeLate(_ tokens: AuthTokens) async {
        do throws(SessionError) {
            try await revoke(tokens)
            report(.revokedLate(nil))
        } catch {
            report(.revokedLate(error))
        }
    }
}

extension SessionError {
    /// Whether the session stays, so that a token that has not expired can still be used.
    fileprivate var leavesTheSession: Bool {
        code.isOfStore || [.unreachable, .timedOut, .noRefreshToken, .newTokenRejected].contains(code)
    }
}
