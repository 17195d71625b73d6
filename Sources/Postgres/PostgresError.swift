/// A fault of the database or of the connection to it.
///
/// Decide by ``code``, ``sqlState`` and ``constraint``, never by the text of the message.
package struct PostgresError: Error, Sendable {
    /// The kind of fault.
    package enum Code: Sendable {
        /// The connection string can't be parsed.
        case invalidConninfo
        /// No connection can be opened.
        case unavailable
        /// The pooler before the server can't be used as it is set up; the message says what to change.
        case unsuitable
        /// Too many callers wait for a connection.
        case overloaded
        /// The call has timed out.
        case timedOut
        /// The connection broke; it is unknown whether the statement took effect.
        case connectionLost
        /// In a distributed database, the server lost another node; it is unknown whether the statement took effect.
        case nodeLost
        /// The server refused the statement; ``PostgresError/sqlState`` gives the reason.
        case refused
        /// A parameter or a result does not have the form that the statement declares.
        case unreadable
        /// A result has a value that this program does not know. A newer one may.
        case unknownValue
        /// The pool has been closed.
        case closed
    }

    package let code: Code
    /// The five characters of SQLSTATE, when the server sent them.
    package let sqlState: String?
    /// The violated constraint, if any.
    package let constraint: String?
    let message: String

    package init(_ code: Code, _ message: String, sqlState: String? = nil, constraint: String? = nil) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
        self.constraint = constraint
    }

    /// The same fault, with a subject before the message.
    package func about(_ subject: String) -> PostgresError {
        PostgresError(code, "\(subject): \(message)", sqlState: sqlState, constraint: constraint)
    }

    /// Whether the database is temporarily unusable, without a fault of the statement: a retry may succeed later.
    package var isTransient: Bool {
        switch code {
        case .unavailable, .overloaded, .timedOut, .connectionLost, .nodeLost, .unknownValue, .closed: true
        case .refused: Self.transientClasses.contains(String(sqlState?.prefix(2) ?? "")) || isReadOnly
        default: false
        }
    }

    /// Whether the statement may have taken effect nevertheless.
    package var isUnheard: Bool { code == .connectionLost || code == .nodeLost }

    /// Whether the transaction was aborted because of a conflict: a deadlock or a serialisation failure.
    package var isConflict: Bool { sqlState == "40P01" || sqlState == "40001" }

    /// Whether another transaction held a row lock longer than the lock timeout.
    package var isLockTimeout: Bool { sqlState == "55P03" }

    /// Whether a row with the same key existed already.
    package var isDuplicate: Bool { sqlState == "23505" }

    /// Whether the server accepts no writes.
    package var isReadOnly: Bool { sqlState == "25006" }

    /// Whether a person has to change the database, its pooler or the rights of the user: a retry does not help.
    package var isOfSetUp: Bool { code == .unsuitable || isOfMixedSessions || sqlState == "42501" }

    /// Whether a prepared statement is missing or exists already: the session is that of another client.
    var isOfMixedSessions: Bool { sqlState == "26000" || sqlState == "42P05" }

    /// Whether the server has refused to write anything: it is read-only, or lacks disk, memory or its files.
    package var isOfWriting: Bool {
        isReadOnly || sqlState != "53300" && ["53", "58"].contains(String(sqlState?.prefix(2) ?? ""))
    }

    /// Connection, serialisation and lock, resources, operator intervention, system.
    private static let transientClasses: Set<String> = ["08", "40", "53", "55", "57", "58"]
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind and SQLSTATE, and the message of the server or libpq unless it may quote a value.
    package var description: String {
        guard code == .refused else { return "\(code): \(message)" }
        return "refused with SQLSTATE \(sqlState ?? "unknown")" + (constraint.map { " by \($0)" } ?? "")
            + (sqlState.flatMap { Self.meanings[$0] }.map { ": \($0)" } ?? "")
    }

    /// Everything, including values: for developers, not for logs.
    package var debugDescription: String { "\(description): \(message)" }
}
