public import HandleCore
import HandleText
public import Postgres
import Seeds

/// The registry: who has which handle.
///
/// Expected outcomes are returned; what is thrown is a fault of the database (``PostgresError``) and says that the
/// answer is not known.
public struct Registry: Sendable {
    public let policy: Policy
    /// The reserved words in force.
    public let words: ReservedWords
    let pool: Pool

    /// A registry on the database that `pool` leads to, with the words that the binary carries.
    public init(pool: Pool, policy: Policy = Policy()) throws(ReservedWord.ListError) {
        self.pool = pool
        self.policy = policy
        words = try .builtIn()
    }

    /// What is known of a name that somebody has; nil when it is free.
    public func record(of handle: Handle) async throws -> Record? {
        try await pool.run(Lookup(handle: handle)).first { !$0.isFree }
    }

    /// The handles that an owner holds or has, in alphabetical order.
    public func records(of owner: Owner) async throws -> [Record] {
        try await pool.run(LookupOwner(owner: owner)).filter { !$0.isFree }
    }

    func newChange() -> Int64 { .random(in: .min ... .max) }
}

extension ReservedWords {
    /// The words that the binary carries.
    public static func builtIn() throws(ReservedWord.ListError) -> ReservedWords {
        ReservedWords(
            try ReservedWord.list(parsing: Seeds.reservedWords),
            innocent: try ReservedWord.names(parsing: Seeds.innocentNames))
    }
}
