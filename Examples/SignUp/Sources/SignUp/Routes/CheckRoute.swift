import Foundation
import HandleClient
import HandleRules
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Onboarding

/// The availability check of the page's script while a person types. It answers like the registry's live check, with the
/// texts of this page.
struct CheckRoute {
    let site: Site

    private struct Query: Decodable {
        let handle: String?
    }

    private struct Answer: Encodable {
        struct Reason: Encodable {
            let code: String
            let message: String
        }

        struct Suggestion: Encodable {
            let handle: String
            let display: String
            let method: String
        }

        /// The text that was checked, byte for byte.
        let input: String
        let handle: String?
        let display: String?
        let status: String
        let reasons: [Reason]
        let suggestions: [Suggestion]

        init(_ found: HandleAvailability, texts: OnboardingTexts) {
            input = found.input
            handle = found.handle?.description
            display = found.display?.description
            status = found.status.rawValue
            reasons = found.reasons.map { Reason(code: $0.code.rawValue, message: texts.reason($0)) }
            suggestions = found.suggestions.map {
                Suggestion(handle: $0.handle.description, display: $0.display.description, method: $0.method)
            }
        }
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
        let found: HandleAvailability
        do {
            found = try await site.registry.availability(of: typed, owner: session.person.owner)
        } catch {
            // The text is at fault, such as a text that is too long. The same text would be refused again.
            if let status = error.problem?.status, [400, 422].contains(status) {
                return Response(status: .init(code: status))
            }
            context.logger.warning("a check failed: \(error)")
            let pause = max(1, Int((error.retryAfter ?? .zero) / .seconds(1)))
            return Response(status: .serviceUnavailable, headers: [.retryAfter: String(pause)])
        }
        let body = try JSONEncoder().encode(Answer(found, texts: site.texts.onboarding))
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}
