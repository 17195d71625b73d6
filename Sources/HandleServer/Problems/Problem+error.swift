import Debouncing
import HandleRegistry
import Hummingbird
import Logging
import Postgres

/// The problem documents for errors; the only part of the HTTP layer that decides on them.
extension Problem {
    /// The problem document for an error, which is logged if it is a fault of the service or of the database.
    static func of(_ error: any Error, _ ids: RequestIDs?, _ logger: Logger) -> Problem {
        switch error {
        case let problem as Problem: problem
        case let error as PostgresError: of(database: error, ids, logger)
        // The client has the response already; this one is for the metrics and the log.
        case is RequestTimeout: .requestTimeout
        case let error as DebouncingError: error == .superseded ? .superseded : .overloaded
        case let error as RegistryError where error.code == .overloaded: .overloaded
        case let error as RegistryError where error.code == .shareUsed: .tooManyStreams
        case let error as HTTPError where error.status == .notFound: .notFound
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            Problem(.badRequest, "The request can't be read; check that it is complete and valid.")
        case is CancellationError: .unavailable(.stopping, "The service is stopping; try again.")
        default: fault(error, ids, logger)
        }
    }

    private static func of(database error: PostgresError, _ ids: RequestIDs?, _ logger: Logger) -> Problem {
        if error.code == .overloaded {
            return .overloaded
        }
        // A table or column does not exist yet, or no longer: the schema is that of another version of the program.
        guard error.isTransient || ["42P01", "42703"].contains(error.sqlState) else { return fault(error, ids, logger) }
        log(.warning, "the database is unavailable", error, ids, logger)
        return .databaseUnavailable
    }

    /// An internal error. The log has the details; the response has none.
    private static func fault(_ error: any Error, _ ids: RequestIDs?, _ logger: Logger) -> Problem {
        log(.error, "a request failed", error, ids, logger)
        return Problem(
            .internal, "The service failed on this request and logged the error; give the operator the X-Request-Id.")
    }

    private static func log(
        _ level: Logger.Level, _ message: Logger.Message, _ error: any Error, _ ids: RequestIDs?, _ logger: Logger
    ) {
        let metadata: Logger.Metadata = ["error": "\(error)"]
        logger.log(level: level, message, metadata: ids?.metadata(metadata) ?? metadata)
    }
}
