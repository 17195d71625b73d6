import Debouncing
import HandleRegistry
import Hummingbird
import Logging
import Postgres

/// The problem documents for errors; the only part of the HTTP layer that decides on them.
extension Problem {
    /// The problem document for an error, which is logged if it is a fault of the service or of the database.
    static func of(_ error: any Error, _ ids: RequestIDs?, _ logger: Logger) -> Problem {
        func log(_ level: Logger.Level, _ message: Logger.Message) {
            let metadata: Logger.Metadata = ["error": "\(error)"]
            logger.log(level: level, message, metadata: ids?.metadata(metadata) ?? metadata)
        }
        switch error {
        case let problem as Problem: return problem
        case let error as PostgresError where error.code == .overloaded: return .overloaded
        // A table or column does not exist yet, or no longer: the schema is that of another version of the program.
        case let error as PostgresError where error.isTransient || ["42P01", "42703"].contains(error.sqlState):
            log(.warning, "the database is unavailable")
            return .databaseUnavailable
        // The client has the response already; this one is for the metrics and the log.
        case is RequestTimeout: return .requestTimeout
        case let error as DebouncingError: return error == .superseded ? .superseded : .overloaded
        case let error as RegistryError where error.code == .overloaded: return .overloaded
        case let error as RegistryError where error.code == .shareUsed: return .tooManyStreams
        case let error as HTTPError where error.status == .notFound: return .notFound
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            return Problem(.badRequest, "The request can't be read; check that it is complete and valid.")
        case is CancellationError: return .unavailable(.stopping, "The service is stopping; try again.")
        default:
            // The log has the details of an internal error; the response has none.
            log(.error, "a request failed")
            return Problem(
                .internal,
                "The service failed on this request and logged the error; give the operator the X-Request-Id.")
        }
    }
}
