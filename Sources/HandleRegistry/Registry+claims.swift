public import HandleCore
import HandleText

public import struct FoundationEssentials.Date

/// How an attempt to take a name ended.
public enum TakeOutcome: Sendable {
    /// The name has passed to the asker now.
    case taken(Record)
    /// The asker had it already; nothing has changed.
    case already(Record)
    /// The name can't be had; the decision says why.
    case refused(Decision)
}

/// How giving a name up ended.
public enum ReleaseOutcome: Sendable {
    /// The name is in quarantine, or free.
    case released(Record)
    /// It was in quarantine already.
    case already(Record)
    /// Nobody has it.
    case notFound
}

/// What an admin keeps a name for.
public struct Reservation: Sendable {
    /// Why; kept with the name.
    public let reason: String
    /// Who may claim it, if anybody.
    public let owner: Owner?
    /// When it ends; nil for no end.
    public let until: Date?

    public init(reason: String, owner: Owner? = nil, until: Date? = nil) {
        self.reason = reason
        self.owner = owner
        self.until = until
    }
}

extension Registry {
    /// Gives a name to its owner for good. To repeat a claim is a success.
    /// - Parameters:
    ///   - input: the name as typed; its capitals become the display handle.
    ///   - hold: the secret of a hold on it, which lets any owner claim it.
    public func claim(_ input: String, for owner: Owner, hold: String? = nil) async throws -> TakeOutcome {
        try await take(input, Asker(owner: owner, hold: hold), .claim) { display, change in
            try await pool.run(TakeClaim(display: display, owner: owner, hold: hold, change: change)).first
        }
    }

    /// Keeps a name for an owner for a while. To repeat it returns the same hold, its end not moved.
    /// - Parameter duration: within ``Policy/holdRange``; nil for the policy's.
    public func hold(_ input: String, for owner: Owner, duration: Duration? = nil) async throws -> TakeOutcome {
        let duration = duration ?? policy.hold
        precondition(Policy.holdRange.contains(duration), "the caller checks the duration")
        return try await take(input, Asker(owner: owner), .hold) { display, change in
            try await pool.run(
                TakeHold(
                    display: display, owner: owner, token: Secret.random(prefix: "hold_"), duration: duration,
                    change: change)
            ).first
        }
    }

    /// Keeps a name from everybody but the reservation's owner. Reserved words may be reserved. A name that is
    /// reserved already stays as it is.
    public func reserve(_ input: String, _ reservation: Reservation) async throws -> TakeOutcome {
        try await take(input, .anyone, .reserve) { display, change in
            try await pool.run(TakeReservation(display: display, reservation: reservation, change: change)).first
        }
    }

    /// Ends a claim, which goes into quarantine, or a hold or reservation, which are free at once.
    public func release(_ handle: Handle) async throws -> ReleaseOutcome {
        let statement = GiveUp(handle: handle, quarantine: policy.quarantine, change: newChange())
        if let record = try await pool.run(statement).first { return .released(record) }
        guard let record = try await record(of: handle) else { return .notFound }
        return .already(record)
    }

    /// Changes the capitals of a claimed handle; nil when nobody has claimed it.
    public func recase(_ display: DisplayHandle) async throws -> Record? {
        try await pool.run(Recase(display: display, change: newChange())).first
    }

    /// Reads, decides, and lets the statement make the winner.
    private func take(
        _ input: String, _ asker: Asker, _ intent: Decision.Intent,
        by statement: (DisplayHandle, _ change: Int64) async throws -> Record?
    ) async throws -> TakeOutcome {
        let reading = Reading(typed: input)
        func decide(_ record: Record?) -> Decision {
            Decision.decide(input, reading, words: words, record: record, asker: asker, intent: intent)
        }
        guard let display = reading.display else { return .refused(decide(nil)) }
        if !decide(nil).isAvailable {
            // A reserved word: only who has the name already, or has it promised, gets any further.
            let decision = decide(try await record(of: display.handle))
            guard decision.isAvailable else { return .refused(decision) }
        }
        for _ in 0..<Self.takeAttempts {
            let change = newChange()
            if let record = try await statement(display, change) {
                return record.change == change ? .taken(record) : .already(record)
            }
            let record = try await record(of: display.handle)
            let decision = decide(record)
            if !decision.isAvailable { return .refused(decision) }
            // Reserved already: the statement leaves that as it is.
            if intent == .reserve, let record { return .already(record) }
            // It came free between the statement and the look-up, so try again.
        }
        return .refused(Decision(input: input, reading: reading, reasons: [.taken(.held)]))
    }

    /// A name that changes hands more often than this within one call is not to be had.
    private static let takeAttempts = 5
}
