import Sessions

/// The promised behaviour of a session, written as simply as possible.
struct Model {
    enum Memory: Equatable {
        /// The store could not be read yet.
        case unread
        case none(SignOutReason)
        case live(Token)
    }

    /// The write that is left to do.
    enum Unsaved {
        case nothing, renewal, signIn
    }

    var memory = Memory.unread
    /// The content of the store.
    var stored: Token?
    var unsaved = Unsaved.nothing
    /// The session ended, and may still be stored.
    var isClearDue = false
    /// A refresh failed, so the next may be refused until a pause is over.
    var mayRest = false
    /// The open request of the present session.
    var flight: (request: Int, token: Token)?
    /// The number of callers that wait for that request.
    var callers = 0
    /// The open requests of ended sessions.
    var orphans: [Int: Token] = [:]

    var live: Token? {
        if case .live(let token) = memory { token } else { nil }
    }

    var state: SessionState {
        switch memory {
        case .unread: .unknown
        case .none(let reason): .signedOut(reason)
        case .live: .authenticated
        }
    }

    /// The effect of any call: the store is read if it was not read yet.
    mutating func read(_ faults: SharedDisk.Faults) {
        guard memory == .unread, !faults.load else { return }
        memory = stored.map(Memory.live) ?? .none(.neverSignedIn)
    }

    /// A session begins or ends, so the open request belongs to an ended session now.
    mutating func endGeneration() {
        if let flight { orphans[flight.request] = flight.token }
        flight = nil
        callers = 0
        mayRest = false
    }

    mutating func signIn(_ token: Token, isSaved: Bool) {
        endGeneration()
        memory = .live(token)
        isClearDue = false
        unsaved = isSaved ? .nothing : .signIn
        if isSaved { stored = token }
    }

    mutating func end(_ reason: SignOutReason, _ faults: SharedDisk.Faults) {
        endGeneration()
        memory = .none(reason)
        // The issuer's refusal removes only content that can be compared.
        let isKept = faults.clear || (reason == .remote && unsaved == .renewal && faults.load)
        unsaved = .nothing
        isClearDue = isKept
        if !isKept { stored = nil }
    }

    mutating func renew(_ token: Token, _ faults: SharedDisk.Faults) {
        memory = .live(token)
        mayRest = false
        if faults.load || faults.save {
            unsaved = unsaved == .signIn ? .signIn : .renewal
        } else {
            stored = token
            unsaved = .nothing
        }
    }

    /// Takes over a change of the store, if a pending write explains it.
    mutating func accepts(stored found: Token?, _ faults: SharedDisk.Faults) -> Bool {
        if found == stored { return true }
        if unsaved != .nothing, found == live, !faults.save, !faults.load {
            unsaved = .nothing
        } else if isClearDue, found == nil, !faults.clear {
            isClearDue = false
        } else {
            return false
        }
        stored = found
        return true
    }
}
