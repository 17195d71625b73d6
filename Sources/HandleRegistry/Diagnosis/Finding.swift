/// What one look at the database has shown, and what to do about it.
package struct Finding: Sendable, Hashable {
    package let check: Check
    package let level: Level
    package let found: String
    /// What to do; nil when all is well.
    package let advice: String?

    /// What is looked at, in this order.
    package enum Check: String, Sendable, CaseIterable {
        case connection, writable, role, schema, locale, durability, clock, replication, replica, words, connections
        case disk, transactions, history
    }

    package enum Level: String, Sendable, CaseIterable {
        case ok
        /// It works, and may not one day.
        case warn
        /// It does not work, or what is acknowledged may be lost.
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

/// Where the database's files are.
package enum DatabaseHome: Sendable {
    /// In a folder of this machine, as those of the private PostgreSQL; with the space on its disk, when that is known.
    case here(folder: String, DiskSpace?)
    /// Somewhere that only the server sees.
    case elsewhere
}

/// The space on a disk, in bytes.
package struct DiskSpace: Sendable {
    package let free: Int64
    package let total: Int64

    package init(free: Int64, total: Int64) {
        self.free = free
        self.total = total
    }
}
