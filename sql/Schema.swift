/// One step of the schema that is compiled into the program: it brings a database from one version to the next.
package struct Migration: Sendable {
    /// Counted from 1, without gaps.
    package let version: Int
    package let name: String
    package let sql: String
    /// Nil for a migration that is only its `sql`.
    package let copy: Copy?

    /// A migration that copies large tables in batches, while programs use them. Its `sql` makes the function
    /// `copy_next_rows` and the table `slim_rows_progress`, which exists until the end of the migration.
    package struct Copy: Sendable {
        /// Run after `sql`, if the batches are committed one by one.
        package let triggers: String
        /// Run after `sql`, if all is one transaction.
        package let locks: String
        /// Run once all rows are copied.
        package let end: String
    }

    /// All migrations, in order. A released migration is never edited.
    package static let all = [
        Migration(version: 1, name: "handles", bytes: PackageResources._01_handles_sql),
        Migration(version: 2, name: "reserved_words", bytes: PackageResources._02_reserved_words_sql),
        Migration(version: 3, name: "owners", bytes: PackageResources._03_owners_sql),
        Migration(version: 4, name: "lookalikes", bytes: PackageResources._04_lookalikes_sql),
        Migration(version: 5, name: "handle_events", bytes: PackageResources._05_handle_events_sql),
        Migration(version: 6, name: "idempotency_keys", bytes: PackageResources._06_idempotency_keys_sql),
        Migration(
            version: 7, name: "protected_lookalikes", bytes: PackageResources._07_protected_lookalikes_sql),
        Migration(version: 8, name: "access_keys", bytes: PackageResources._08_access_keys_sql),
        Migration(version: 9, name: "next_protectors", bytes: PackageResources._09_next_protectors_sql),
        Migration(version: 10, name: "words_version", bytes: PackageResources._10_words_version_sql),
        Migration(version: 11, name: "kept_lookalikes", bytes: PackageResources._11_kept_lookalikes_sql),
        Migration(version: 12, name: "moments", bytes: PackageResources._12_moments_sql),
        Migration(version: 13, name: "lookalike_keys", bytes: PackageResources._13_lookalike_keys_sql),
        Migration(version: 14, name: "word_kinds", bytes: PackageResources._14_word_kinds_sql),
        Migration(version: 15, name: "words_by_letters", bytes: PackageResources._15_words_by_letters_sql),
        Migration(version: 16, name: "handle_check", bytes: PackageResources._16_handle_check_sql),
        Migration(
            version: 17, name: "slim_rows", bytes: PackageResources._17_slim_rows_sql,
            copy: Copy(
                triggers: String(decoding: PackageResources._17_slim_rows_triggers_sql, as: UTF8.self),
                locks: String(decoding: PackageResources._17_slim_rows_locks_sql, as: UTF8.self),
                end: String(decoding: PackageResources._17_slim_rows_end_sql, as: UTF8.self))),
    ]

    private init(version: Int, name: String, bytes: [UInt8], copy: Copy? = nil) {
        self.version = version
        self.name = name
        self.sql = String(decoding: bytes, as: UTF8.self)
        self.copy = copy
    }
}

/// SQL that is run besides the migrations.
package enum Script {
    /// Grants the service's role its privileges.
    package static let serviceRole = String(decoding: PackageResources.service_role_sql, as: UTF8.self)
    /// Distributes the tables on a Citus cluster.
    package static let distribute = String(decoding: PackageResources.distribute_sql, as: UTF8.self)
}
