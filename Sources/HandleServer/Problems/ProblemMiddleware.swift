import Hummingbird
import NIOHTTP1

/// Turns every error of a call into a problem document.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPParserError {
            // The rest of the body is not valid HTTP, so the connection can't be kept. The server itself sends the
            // response.
            throw error
        } catch {
            return try Problem.of(error, context.ids, context.logger).response(from: request, context: context)
        }
    }
}
