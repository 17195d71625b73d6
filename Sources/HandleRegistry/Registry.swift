public import HandleCore
import HandleText
public import Postgres

/// The registry: who has which handle.
///
/// Expected outcomes are returned; what is thrown is a fault of the database (``PostgresError``) and says that the
/// answer is not known.
public struct Registry: Sendable {
    public let policy: Policy
    let vocabulary: Vocabulary
    let pool: Pool

    /// The reserved words in force at this moment.
    public var words: ReservedWords { vocabulary.current }

    /// A registry on the database that `pool` leads to, with the words that the binary carries.
    public init(pool: Pool, policy: Policy = Policy()) throws(ReservedWord.ListError) {
        self.pool = pool
        self.policy = policy
        vocabulary = try Vocabulary()
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
