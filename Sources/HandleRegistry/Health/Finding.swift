/// The result of one check, with advice.
package struct Finding: Sendable, Hashable {
    package let check: Check
    package let level: Level
    package let found: String
    /// Nil when all is well.
    package let advice: String?

    /// The checks, in the order in which they run.
    package enum Check: String, Sendable, CaseIterable {
        case connection, writable, role, schema, cluster, locale, durability, clock, replication, replica, words
        case connections, disk, transactions, history
    }

    package enum Level: String, Sendable, CaseIterable {
        case ok
        /// It works now, but may fail later.
        case warn
        /// It does not work, or acknowledged changes may be lost.
        case fail
    }

    package static func ok(_ check: Check, _ found: String) -> Finding {
        Finding(check: check, level: .ok, found: found, advice: nil)
    }

    package static func warn(_ check: Check, _ found: String, advice: String) -> Finding {
        Finding(check: check, level: .warn, found: found, advice: advice)
    }

    package static func fail(_ check: Check, _ found: String, advice: String) -> Finding {
        Finding(check: check, level: .fail, found: found, advice: advice)
    }
}

/// Location of the database's files.
package enum DatabaseHome: Sendable {
    /// A folder of this machine, as for the private PostgreSQL; with the space on its disk, if known.
    case here(folder: String, DiskSpace?)
    /// A place that only the server can see.
    case elsewhere
}

/// Space on a disk, in bytes.
package struct DiskSpace: Sendable {
    package let free: Int64
    package let total: Int64

    package init(free: Int64, total: Int64) {
        self.free = free
        self.total = total
    }
}
