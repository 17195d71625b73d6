import HandleRegistry
import NIOConcurrencyHelpers
import Postgres
import TestSupport
import Testing

/// Verifies the databases of a test when the test has ended, unless its tag says that it damages them.
struct Consistency: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        let databases = NIOLockedValueBox<[String]>([])
        try await TestCluster.$observer.withValue({ new in databases.withLockedValue { $0.append(new) } }) {
            try await body()
        }
        for database in databases.withLockedValue(\.self) where !test.tags.contains(.damaging) {
            let pool = patientPool(database)
            #expect(try await discrepancies(Registry(pool: pool)) == [])
            await pool.close()
        }
    }
}

extension Trait where Self == Consistency {
    static var consistent: Self { Self() }
}

extension Tag {
    /// The test changes rows by hand.
    @Tag static var damaging: Self
}

extension Trait where Self == ConditionTrait {
    static func notOnCitus(_ why: Comment) -> Self { .disabled(if: TestCluster.shared.isDistributed, why) }
}
