/// A step of the schema: it brings a database from one version to the next.
package struct Migration: Sendable {
    /// Counted from 1, without gaps.
    package let version: Int
    package let name: String
    package let sql: String

    package init(version: Int, name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }

    /// All migrations, in order. A released migration is never edited.
    package static let all = [
        Migration(
            version: 1, name: "registry", sql: String(decoding: PackageResources._01_registry_sql, as: UTF8.self))
    ]
}

/// SQL that is run besides the migrations.
package enum Script {
    /// Grants the service's role its privileges.
    package static let serviceRole = String(decoding: PackageResources.service_role_sql, as: UTF8.self)
    /// Distributes the tables over the nodes of a cluster.
    package static let distribute = String(decoding: PackageResources.distribute_sql, as: UTF8.self)
}
