import Foundation
import Hummingbird
import Logging

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
        // An existing session keeps its cookie until the new session begins.
        let known = SessionCookie.read(request)
        let browser = known ?? SessionID()
        do {
            let page = try await site.signIns.begin(in: browser)
            return .seeOther(page.absoluteString, cookie: known == nil ? SessionCookie.header(browser) : nil)
        } catch let failure as SignIns.Failure {
            return problem(failure, context)
        }
    }

    private struct Callback: Decodable {
        let state: String?
    }

    @Sendable private func end(_ request: Request, _ context: SiteContext) async throws -> Response {
        guard let browser = SessionCookie.read(request), let state = try request.query(Callback.self).state,
            let callback = URL(string: site.origin + "/callback?" + (request.uri.query ?? ""))
        else { return problem(.refused("there is no sign-in in this browser"), context) }
        do {
            let (person, tokens) = try await site.signIns.end(in: browser, state: state, at: callback)
            let session = try await site.sessions.begin(for: person, with: tokens)
            // Ends the previous session, if there is one: an attacker may know its id.
            await site.sessions.end(browser)
            return .seeOther("/", cookie: SessionCookie.header(session.id, until: session.endsAt))
        } catch let failure as SignIns.Failure {
            return problem(failure, context)
        }
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
