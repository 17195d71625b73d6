import CLibpq

/// The fields of a server's error report, except its message.
struct Reported {
    let sqlState: String
    /// `ERROR`, or `FATAL` when the server closes the connection.
    let severity: String
    /// The file and the function of the server's source.
    let file: String
    let function: String
}

extension Reported {
    init(_ result: OpaquePointer, sqlState: String) {
        self.init(
            sqlState: sqlState, severity: clibpq_severity(result).map { String(cString: $0) } ?? "",
            file: clibpq_source_file(result).map { String(cString: $0) } ?? "",
            function: clibpq_source_function(result).map { String(cString: $0) } ?? "")
    }
}

extension PostgresError {
    init(_ reported: Reported, message: String, constraint: String?) {
        let code = reported.code
        self.init(
            code, code == .nodeLost ? "a node of the database was lost (SQLSTATE \(reported.sqlState))" : message,
            sqlState: reported.isDuplicateInCopy ? "23505" : reported.sqlState, constraint: constraint)
    }
}

extension Reported {
    fileprivate var code: PostgresError.Code {
        let isGoingAway = sqlState.hasPrefix("57P")
        // A protocol violation is a fault of this client.
        let isCutOff = sqlState.hasPrefix("08") && sqlState != "08P01"
        guard severity == "ERROR" else { return isGoingAway || isCutOff ? .connectionLost : .refused }
        // This connection stays open, so the fault is that of another node.
        return isGoingAway || isCutOff || isOfCitusConnections ? .nodeLost : .refused
    }

    /// When a connection to a worker breaks, Citus reports no SQLSTATE of its own (`ReportResultError`,
    /// `MarkRemoteTransactionFailed`, `FinishRemoteTransactionPrepare`).
    private var isOfCitusConnections: Bool { sqlState == "XX000" && Self.citusFiles.contains(file) }

    private static let citusFiles: Set<String> = [
        "adaptive_executor.c", "connection_management.c", "placement_connection.c", "remote_commands.c",
        "remote_transaction.c",
    ]

    /// Citus drops the SQLSTATE of a worker's error about copied rows (`ReportCopyError`), which means a violated
    /// constraint. It counts as a duplicate key. A violation of another constraint shows again when the caller repeats
    /// the change without a copy.
    fileprivate var isDuplicateInCopy: Bool { sqlState == "XX000" && function == "ReportCopyError" }
}
