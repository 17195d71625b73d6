import Foundation
import HandleClient
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Onboarding

/// The availability check of the page's script while a person types.
struct CheckRoute {
    let site: Site

    private struct Query: Decodable {
        let handle: String?
    }

    private struct Answer: Encodable {
        /// The text that was checked, byte for byte.
        let handle: String
        /// `good`, `bad` or `plain`.
        let tone: String
        let message: String
        /// For a screen reader.
        let announcement: String
        let suggestions: [String]
    }

    @Sendable func answer(_ request: Request, _ context: SiteContext) async throws -> Response {
        // Does not ask the issuer. If it has ended the session, the next page finds out, and can offer the sign-in.
        guard let id = SessionCookie.read(request), let session = try await site.sessions.peek(id) else {
            return Response(status: .unauthorized)
        }
        guard let typed = try request.query(Query.self).handle else { throw HTTPError(.badRequest) }
        if let pause = await site.checks.pause(for: id) {
            return Response(status: .tooManyRequests, headers: [.retryAfter: String(pause)])
        }
        var field = HandleFieldMachine()
        _ = field.receive(.typed(typed))
        do {
            _ = field.receive(.checked(try await site.registry.availability(of: typed, owner: session.person.owner)))
        } catch {
            // The text is at fault, such as a text that is too long. The same text would be refused again.
            if let status = error.problem?.status, [400, 422].contains(status) {
                return Response(status: .init(code: status))
            }
            context.logger.warning("a check failed: \(error)")
            let pause = max(1, Int((error.retryAfter ?? .zero) / .seconds(1)))
            return Response(status: .serviceUnavailable, headers: [.retryAfter: String(pause)])
        }
        let page = HandlePage(field, texts: site.texts)
        let body = try JSONEncoder().encode(
            Answer(
                handle: typed, tone: page.tone, message: page.message,
                announcement: site.texts.onboarding.announcement(for: field) ?? "", suggestions: page.suggestions))
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}
