import Foundation
import Hummingbird
import Logging
import OpenIDSessions
import Sessions

/// The redirect to the issuer's page, and the callback. They don't read the session, so that they work while its store
/// fails.
struct SignInRoutes {
    let site: Site

    func addRoutes(to router: Router<SiteContext>) {
        router.get("sign-in", use: begin)
        router.get("sign-in/ready") { _, _ in
            Response(status: await site.signIns.isReady() ? .noContent : .serviceUnavailable)
        }
        router.get("callback", use: end)
    }

    @Sendable private func begin(_ request: Request, _ context: SiteContext) async throws -> Response {
        do {
            let begun = try await site.signIns.begin()
            let cookie = try site.signInCookie.header(site.signInCookie.read(request) + [begun])
            return .seeOther(begun.request.url.absoluteString, cookie: cookie)
        } catch let failure as SignIns.Failure {
            return problem(failure, context)
        }
    }

    private struct Callback: Decodable {
        let state: String?
    }

    @Sendable private func end(_ request: Request, _ context: SiteContext) async throws -> Response {
        var pending = site.signInCookie.read(request)
        guard let state = try request.query(Callback.self).state,
            let index = pending.firstIndex(where: { Secret.areEqual($0.request.state, state) }),
            let callback = URL(string: site.origin + "/callback?" + (request.uri.query ?? ""))
        else { return problem(.refused("there is no sign-in in this browser"), context) }
        let begun = pending.remove(at: index)
        var response: Response
        do {
            let (person, tokens) = try await site.signIns.end(begun.request, at: callback)
            let session = try await site.sessions.begin(for: person, with: tokens)
            // Ends the previous session, if there is one: an attacker may know its id.
            if let former = SessionCookie.read(request) { await site.sessions.end(former) }
            response = .seeOther("/", cookie: SessionCookie.header(session.id, until: session.endsAt))
        } catch let failure as SignIns.Failure {
            response = problem(failure, context)
        }
        response.headers[values: .setCookie].append(try site.signInCookie.header(pending))
        return response
    }

    private func problem(_ failure: SignIns.Failure, _ context: SiteContext) -> Response {
        let texts = site.texts
        switch failure {
        case .cancelled: return .seeOther("/?signed_out=cancelled")
        case .refused(let reason):
            context.logger.warning("a sign-in was refused: \(reason)")
            return site.pages.response(
                .problem, ProblemPage(text: texts.refusedText, link: "/sign-in", linkText: texts.signIn),
                PageHead(title: texts.refusedTitle), status: .badRequest)
        case .unreachable(let reason):
            context.logger.warning("the issuer can't be reached: \(reason)")
            return site.pages.response(
                .problem,
                ProblemPage(
                    text: texts.issuerText, link: "/sign-in", linkText: texts.tryAgain, again: "/sign-in/ready"),
                PageHead(title: texts.issuerTitle), status: .serviceUnavailable)
        }
    }
}
