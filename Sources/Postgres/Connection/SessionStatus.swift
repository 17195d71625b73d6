import CLibpq

/// The use that a connection allows: three reports of libpq as one value.
enum SessionStatus: Equatable {
    /// Outside a transaction, so another caller may use the connection.
    case idle
    /// Inside a transaction that can be committed or rolled back.
    case inTransaction
    /// Inside a transaction that can only be rolled back.
    case inFailedTransaction
    /// In the middle of a message, of a pipeline or of the opening.
    case busy
    case broken

    init(
        _ connection: ConnStatusType, _ transaction: PGTransactionStatusType, _ pipeline: PGpipelineStatus
    ) {
        guard connection == CONNECTION_OK else {
            self = connection == CONNECTION_BAD ? .broken : .busy
            return
        }
        guard pipeline == PQ_PIPELINE_OFF else {
            self = .busy
            return
        }
        switch transaction {
        case PQTRANS_IDLE: self = .idle
        case PQTRANS_INTRANS: self = .inTransaction
        case PQTRANS_INERROR: self = .inFailedTransaction
        case PQTRANS_ACTIVE: self = .busy
        default: self = .broken
        }
    }
}
