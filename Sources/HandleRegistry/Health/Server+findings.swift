import Postgres

// Findings about the configuration of the server.

extension ServerFacts.Row {
    private static let oldestVersion: Int64 = 140_000
    /// A claim takes two round trips, and a person waits for it.
    private static let longestRoundTrip = Duration.milliseconds(50)

    func connection(roundTrip: Duration) -> Finding {
        let found = "PostgreSQL \(version), database \(database), user \(user), round trip \(roundTrip.text)"
        if versionNumber < Self.oldestVersion {
            return .fail(.connection, found, advice: "use PostgreSQL 14 or newer")
        }
        if roundTrip > Self.longestRoundTrip {
            return .warn(
                .connection, found, advice: "run the service nearer to its database: a claim is two round trips")
        }
        return .ok(.connection, found)
    }

    var writable: Finding {
        if isInRecovery {
            return .fail(
                .writable, "the server is a read-only replica",
                advice: "point DATABASE_URL at the primary; with several hosts add target_session_attrs=read-write")
        }
        if isReadOnly {
            return .fail(
                .writable, "sessions are read-only",
                advice:
                    "reset default_transaction_read_only for the server, the database \(database) or the user \(user)")
        }
        return .ok(.writable, "the server accepts writes")
    }
}

extension ServiceRole.Row {
    var finding: Finding {
        guard exists else {
            return .warn(
                .role, "there is no role handles_service, so the service has all rights of its user",
                advice:
                    "run handles migrate as a user that may create roles, then GRANT handles_service TO the service's user"
            )
        }
        guard isMember else {
            return .warn(
                .role, "the user is not a member of handles_service, so the service has all rights of the user",
                advice: "as an admin: GRANT handles_service TO the user (in PostgreSQL 16 or newer: … WITH SET TRUE)")
        }
        // The rights are unknown before the tables exist.
        guard hasRights ?? true else {
            return .fail(
                .role, "handles_service lacks rights on the tables",
                advice: "as the owner of the tables run sql/service_role.sql")
        }
        return .ok(.role, "the service works as handles_service")
    }
}

extension DatabaseLocale.Row {
    var finding: Finding {
        guard encoding == "UTF8" else {
            return .fail(
                .locale, "the encoding is \(encoding)",
                advice: "create another database with ENCODING 'UTF8' TEMPLATE template0 and move the data there")
        }
        guard otherColumns == 0 else {
            return .fail(
                .locale, "\(otherColumns) columns with names are not compared byte by byte",
                advice: "ALTER TABLE … ALTER COLUMN … TYPE text COLLATE \"C\" for handle, display and word")
        }
        return .ok(.locale, "encoding UTF8, collation \(collation); names are compared byte by byte")
    }
}

extension Durability.Row {
    var findings: [Finding] {
        var findings: [Finding] = []
        if !hasSync {
            findings.append(
                .fail(
                    .durability, "fsync is off: a power cut can destroy the database",
                    advice: "set fsync = on in postgresql.conf and reload"))
        }
        if !hasFullPages {
            findings.append(
                .fail(
                    .durability, "full_page_writes is off: a power cut can leave torn pages",
                    advice: "set full_page_writes = on in postgresql.conf and reload"))
        }
        if synchronousCommit == "off" {
            findings.append(
                .fail(
                    .durability, "synchronous_commit is off: claims that were acknowledged may be lost in a crash",
                    advice: "set synchronous_commit = on for the server, the database and the user"))
        }
        if !hasChecksums {
            findings.append(
                .warn(
                    .durability, "data checksums are off: damage on disk goes unnoticed",
                    advice: "stop the server and run pg_checksums --enable on its folder"))
        }
        guard findings.isEmpty else { return findings }
        return [
            .ok(.durability, "fsync, full_page_writes and checksums are on, synchronous_commit is \(synchronousCommit)")
        ]
    }
}

extension Connections.Row {
    /// - Parameter needed: the number of connections that a service may open.
    func finding(needed: Int) -> Finding {
        let free = max(0, limit - reserved)
        let found = "\(free) allowed, \(used) in use; a service takes up to \(needed), and a command needs one more"
        let advice = "raise max_connections, or end programs that keep connections"
        if free < needed { return .fail(.connections, found, advice: advice) }
        if let ours, ours <= needed {
            let found = "the role or the database is limited to \(ours); a service takes up to \(needed)"
            let advice = "raise the CONNECTION LIMIT, or lower HANDLES_DATABASE_CONNECTIONS"
            // The service needs two connections: one for callers and one for background work.
            return ours < 2 ? .fail(.connections, found, advice: advice) : .warn(.connections, found, advice: advice)
        }
        if free - used <= needed { return .warn(.connections, found, advice: advice) }
        return .ok(.connections, found)
    }
}

extension Examination {
    static func schema(installed: Int, needed: Int) -> Finding {
        if installed == needed { return .ok(.schema, "version \(installed)") }
        if installed > needed {
            return .fail(
                .schema, "version \(installed), but this program supports versions up to \(needed)",
                advice: "use a newer program")
        }
        let found =
            installed == 0 ? "there are no tables yet" : "version \(installed), and this program needs \(needed)"
        return .fail(.schema, found, advice: "run handles migrate")
    }

    /// A full disk stops the server: below `leastSpace` perhaps within minutes, below `littleSpace` within days.
    private static let leastSpace: Int64 = 256 << 20
    private static let littleSpace: Int64 = 2 << 30

    /// - Parameter size: the size of the database, in bytes.
    static func disk(_ home: DatabaseHome, size: Int64) -> Finding {
        switch home {
        case .elsewhere:
            return .ok(.disk, "the database has \(size.sizeText); the server's disk can't be checked from here")
        case .here(let folder, nil):
            return .warn(
                .disk, "the disk of \(folder) can't be checked", advice: "check the server's disk with df")
        case .here(let folder, let space?):
            let found =
                "\(space.free.sizeText) of \(space.total.sizeText) free for \(folder); the database has \(size.sizeText)"
            let advice = "make space, or move \(folder) to a larger disk: a full one stops the server"
            if space.free < leastSpace { return .fail(.disk, found, advice: advice) }
            return space.free < littleSpace ? .warn(.disk, found, advice: advice) : .ok(.disk, found)
        }
    }
}

extension Int64 {
    /// The number of bytes as text: `12.5 MB`.
    var sizeText: String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var (value, unit) = (Double(self), 0)
        while value >= 1000, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
        return unit == 0 ? "\(self) bytes" : "\(value.toOneDigit) \(units[unit])"
    }
}

extension Duration {
    /// The duration as text: `0.3 ms`, `4.2 s`, `12.5 min`, `3 h`.
    var text: String {
        let seconds = self / .seconds(1)
        return switch seconds.magnitude {
        case ..<1: "\((seconds * 1000).toOneDigit) ms"
        case ..<120: "\(seconds.toOneDigit) s"
        case ..<7200: "\((seconds / 60).toOneDigit) min"
        default: "\((seconds / 3600).toOneDigit) h"
        }
    }
}

extension Double {
    fileprivate var toOneDigit: String {
        let value = (self * 10).rounded() / 10
        return value == value.rounded() ? String(Int64(value)) : String(value)
    }
}
