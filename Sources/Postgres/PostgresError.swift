/// A fault of the database or of the way to it.
///
/// Decide by ``code``, ``sqlState`` and ``constraint``, never by the text of the message.
package struct PostgresError: Error, Sendable {
    /// What kind of fault; more may come.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case invalidConninfo, unavailable, overloaded, timedOut, connectionLost, nodeLost, refused, unreadable,
                closed
        }
        private let kind: Kind
        package var description: String { kind.rawValue }

        /// The connection string can't be read.
        package static let invalidConninfo = Code(kind: .invalidConninfo)
        /// No connection can be opened.
        package static let unavailable = Code(kind: .unavailable)
        /// Too many callers wait for a connection.
        package static let overloaded = Code(kind: .overloaded)
        /// The time for the call has passed.
        package static let timedOut = Code(kind: .timedOut)
        /// The connection broke; whether the statement took effect is not known.
        package static let connectionLost = Code(kind: .connectionLost)
        /// Of a distributed database, a node broke that the server had asked; whether the statement took effect is not known.
        package static let nodeLost = Code(kind: .nodeLost)
        /// The server refused the statement; ``PostgresError/sqlState`` says why.
        package static let refused = Code(kind: .refused)
        /// A parameter or a result is not of the form that the statement promises.
        package static let unreadable = Code(kind: .unreadable)
        /// The pool has been closed.
        package static let closed = Code(kind: .closed)
    }

    package let code: Code
    /// The five characters of SQLSTATE, when the server sent them.
    package let sqlState: String?
    /// The constraint that was broken, when one was.
    package let constraint: String?
    let message: String

    package init(_ code: Code, _ message: String, sqlState: String? = nil, constraint: String? = nil) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
        self.constraint = constraint
    }

    /// The same fault, with what it is about before its words.
    package func about(_ subject: String) -> PostgresError {
        PostgresError(code, "\(subject): \(message)", sqlState: sqlState, constraint: constraint)
    }

    /// Whether the database can't be used at the moment, through no fault of the statement: trying later may succeed.
    package var isTransient: Bool {
        switch code {
        case .unavailable, .overloaded, .timedOut, .connectionLost, .nodeLost, .closed: true
        case .refused: Self.transientClasses.contains(String(sqlState?.prefix(2) ?? "")) || isReadOnly
        default: false
        }
    }

    /// Whether the statement may have taken effect all the same.
    package var isUnheard: Bool { code == .connectionLost || code == .nodeLost }

    /// Whether the transaction was given up for another's sake, by a deadlock or a serialisation failure.
    package var isConflict: Bool { sqlState == "40P01" || sqlState == "40001" }

    /// Whether somebody else had a row locked for longer than the statement was to wait.
    package var isLockTimeout: Bool { sqlState == "55P03" }

    /// Whether the server takes no writes.
    package var isReadOnly: Bool { sqlState == "25006" }

    /// Connection, serialisation and lock, resources, operator intervention, system.
    private static let transientClasses: Set<String> = ["08", "40", "53", "55", "57", "58"]
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind and SQLSTATE, and the server's or libpq's own words unless they may quote a value.
    package var description: String {
        guard code == .refused else { return "\(code): \(message)" }
        return "refused with SQLSTATE \(sqlState ?? "unknown")" + (constraint.map { " by \($0)" } ?? "")
    }

    /// Everything, values included: for a developer's eyes, not for logs.
    package var debugDescription: String { "\(description): \(message)" }
}
