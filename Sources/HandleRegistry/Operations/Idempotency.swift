import Hashing
import Postgres

/// A request that is to take effect once, however often it is sent.
package struct IdempotentRequest: Sendable {
    /// The caller's `Idempotency-Key`.
    let key: String
    /// Whose key it is.
    let caller: String
    /// What tells two requests apart: SHA-256 of all that is asked for.
    private(set) var fingerprint: [UInt8]

    /// - Parameter content: all that is asked for; the same key with other content is another request.
    package init(key: String, caller: String, content: [UInt8]) {
        self.key = key
        self.caller = caller
        fingerprint = SHA256(content).bytes
    }

    /// The same request with a fingerprint that says nothing of its content to who does not know the salt.
    func salted(_ salt: [UInt8]) -> IdempotentRequest {
        var request = self
        request.fingerprint = SHA256(salt, fingerprint).bytes
        return request
    }

    /// How long an answer is kept.
    package static let lifetime = Duration.seconds(24 * 3600)

    /// Takes the key in the transaction, or says why the request is not to be carried out.
    func begin(_ change: Int64, _ transaction: inout Transaction) async throws -> Reply? {
        let row: TakeKey.Row?
        do {
            row = try await transaction.run(ShortLockWait(), TakeKey(request: self, change: change), LongLockWait()).1
                .first
        } catch let error as PostgresError where error.isLockTimeout {
            // Somebody else has the row locked: the same request, in flight.
            try await transaction.rollBack()
            return .inFlight
        }
        guard let row, row.change != change || row.answer != nil else { return nil }
        guard row.fingerprint == fingerprint else {
            try await transaction.rollBack()
            return .otherContent
        }
        guard let answer = row.answer else {
            try await transaction.rollBack()
            return .inFlight
        }
        try await transaction.commit()
        return .answer(answer)
    }

    /// Stores the answer and commits.
    func finish(_ answer: Answer, _ transaction: inout Transaction) async throws -> Reply {
        transaction.runLast(PutAnswer(request: self, answer: answer))
        try await transaction.commit()
        return .answer(answer)
    }
}

/// What a caller was told.
package struct Answer: Sendable, Hashable {
    package let status: Int
    /// Names and values, one after the other.
    package let headers: [String]
    package let body: [UInt8]

    package init(status: Int, headers: [String], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// What becomes of a request with a key.
package enum Reply: Sendable, Hashable {
    /// The answer, of this request or of the first one with its key.
    case answer(Answer)
    /// The key came with another request before.
    case otherContent
    /// The same request is being carried out.
    case inFlight
}
