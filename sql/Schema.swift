/// The schema that the binary carries: what brings a database from one version to the next.
public struct Migration: Sendable {
    /// Counted from 1, without gaps.
    public let version: Int
    public let name: String
    public let sql: String

    /// All of them, in order. One that has been released is never edited.
    public static let all = [
        Migration(version: 1, name: "handles", bytes: PackageResources._01_handles_sql),
        Migration(version: 2, name: "reserved_words", bytes: PackageResources._02_reserved_words_sql),
    ]

    private init(version: Int, name: String, bytes: [UInt8]) {
        self.version = version
        self.name = name
        self.sql = String(decoding: bytes, as: UTF8.self)
    }
}
