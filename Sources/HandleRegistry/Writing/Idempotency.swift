import Postgres

/// A request that takes effect once, however often it is sent.
package struct IdempotentRequest: Sendable {
    /// The caller's `Idempotency-Key`.
    let key: String
    /// The namespace of the key: keys of different callers are independent.
    let caller: String
    /// SHA-256 of the request's content. It tells two requests with the same key apart.
    private(set) var fingerprint: [UInt8]

    /// - Parameter content: everything that defines the request. The same key with other content is another request.
    package init(key: String, caller: String, content: [UInt8]) {
        self.key = key
        self.caller = caller
        fingerprint = SHA256(content).bytes
    }

    /// The same request with a salted fingerprint, which reveals nothing of its content without the salt.
    func salted(_ salt: [UInt8]) -> IdempotentRequest {
        var request = self
        request.fingerprint = SHA256(salt, fingerprint).bytes
        return request
    }

    /// Time for which an answer is stored.
    package static let lifetime = Duration.seconds(24 * 3600)

    /// Takes the key in the transaction.
    /// - Returns: nil if the request is to be carried out; otherwise the reply, and the transaction has ended.
    func begin(_ change: Int64, _ transaction: inout Transaction) async throws -> Reply? {
        let row: TakeKey.Row?
        do {
            let (_, rows, _) = try await transaction.run(
                LockTimeout.short, TakeKey(request: self, change: change), LockTimeout.likeStatements)
            row = rows.first
        } catch let error as PostgresError where error.isLockTimeout {
            // Another transaction has the row lock: the same request is in flight.
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

/// A response to a caller.
package struct Answer: Sendable, Hashable {
    package let status: Int
    /// Names and values, alternating.
    package let headers: [String]
    package let body: [UInt8]

    package init(status: Int, headers: [String], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The reply to a request with an idempotency key.
package enum Reply: Sendable, Hashable {
    /// The answer to this request, or to the first one with its key.
    case answer(Answer)
    /// The key was used with another request before.
    case otherContent
    /// The same request is in flight.
    case inFlight
}
