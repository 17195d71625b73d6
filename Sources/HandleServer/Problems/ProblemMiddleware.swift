import Debouncing
import HandleRegistry
import Hummingbird
import NIOCore
import Postgres

/// Turns every fault into a problem document: the one place where HTTP catches.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return try problem(for: error, context).response(from: request, context: context)
        }
    }

    private func problem(for error: any Error, _ context: Context) -> Problem {
        switch error {
        case let problem as Problem: problem
        case let error as PostgresError: problem(for: error, context)
        case let error as DebouncingError: error == .superseded ? .superseded : .overloaded
        case let error as RegistryError where error.code == .overloaded: .overloaded
        case let error as HTTPError where error.status == .notFound: .notFound
        case is NIOTooManyBytesError:
            Problem(
                .contentTooLarge, "body_too_large",
                "The body of a request has at most \(RequestLimits.bodyBytes) bytes here.")
        case let error as any HTTPResponseError:
            Problem(error.status, "bad_request", "The request can't be read.")
        case is CancellationError: .unavailable("stopping", "The service is stopping; try again.")
        default: fault(error, context)
        }
    }

    private func problem(for error: PostgresError, _ context: Context) -> Problem {
        if error.code == .overloaded {
            return .overloaded
        }
        // 42P01: the tables are not there yet.
        guard error.isTransient || error.sqlState == "42P01" else { return fault(error, context) }
        context.logger.warning("the database can't be used", metadata: ["error": "\(error)"])
        return .databaseUnavailable
    }

    /// A fault of ours: the log has what it is, the caller only that it is ours.
    private func fault(_ error: any Error, _ context: Context) -> Problem {
        context.logger.error("a request failed", metadata: ["error": "\(error)"])
        return Problem(.internalServerError, "internal", "Something is wrong with the service; it has been logged.")
    }
}
