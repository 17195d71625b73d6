/// What one look at the database has shown, and what to do about it.
public struct Finding: Sendable, Hashable {
    public let check: Check
    public let level: Level
    public let found: String
    /// What to do; nil when all is well.
    public let advice: String?

    /// What is looked at, in this order.
    public enum Check: String, Sendable, CaseIterable {
        case connection, writable, role, schema, locale, durability, clock, replication, replica, words, connections
        case disk, transactions, history
    }

    public enum Level: String, Sendable, CaseIterable {
        case ok
        /// It works, and may not one day.
        case warn
        /// It does not work, or what is acknowledged may be lost.
        case fail
    }

    public static func ok(_ check: Check, _ found: String) -> Finding {
        Finding(check: check, level: .ok, found: found, advice: nil)
    }

    public static func warn(_ check: Check, _ found: String, advice: String) -> Finding {
        Finding(check: check, level: .warn, found: found, advice: advice)
    }

    public static func fail(_ check: Check, _ found: String, advice: String) -> Finding {
        Finding(check: check, level: .fail, found: found, advice: advice)
    }
}

/// Where the database's files are.
public enum DatabaseHome: Sendable {
    /// In a folder of this machine, as those of the private PostgreSQL; with the space on its disk, when that is known.
    case here(folder: String, DiskSpace?)
    /// Somewhere that only the server sees.
    case elsewhere
}

/// The space on a disk, in bytes.
public struct DiskSpace: Sendable {
    public let free: Int64
    public let total: Int64

    public init(free: Int64, total: Int64) {
        self.free = free
        self.total = total
    }
}
