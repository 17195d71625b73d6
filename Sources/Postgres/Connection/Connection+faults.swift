import CLibpq

/// Builds errors from libpq's messages and results.
extension Connection {
    var unavailable: PostgresError { PostgresError(.unavailable, libpqMessage) }

    var lost: PostgresError { PostgresError(.connectionLost, libpqMessage) }

    func failure(of result: OpaquePointer) -> PostgresError {
        guard let state = clibpq_sqlstate(result).map({ String(cString: $0) }) else {
            // libpq made this result itself: the connection broke.
            return lost
        }
        return PostgresError(
            Reported(result, sqlState: state), message: clibpq_message(result).map { String(cString: $0) } ?? "",
            constraint: clibpq_constraint(result).map { String(cString: $0) })
    }

    /// libpq's own message, with the password removed wherever it came from.
    private var libpqMessage: String {
        let lines = String(cString: PQerrorMessage(wire.pointer)).split(separator: "\n")
            .map { $0.drop(while: \.isWhitespace) }
        if lines.isEmpty { return "the connection is broken" }
        let message = lines.joined(separator: "; ")
        guard let password = PQpass(wire.pointer).map({ String(cString: $0) }), !password.isEmpty else {
            return message
        }
        return message.replacing(password, with: "***")
    }
}
