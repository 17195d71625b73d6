import Hummingbird
import Onboarding
import Sessions

/// The first page, the last page and the sign-out.
struct WelcomeRoutes {
    let site: Site

    func addRoutes(to router: RouterGroup<SiteContext>) {
        router.get("", use: welcome)
        router.get("done", use: done)
        router.post("sign-out", use: signOut)
    }

    private struct WelcomeQuery: Decodable {
        let signed_out: String?
    }

    @Sendable private func welcome(_ request: Request, _ context: SiteContext) async throws -> Response {
        switch context.visit {
        case .signedIn(_, let session):
            return try await site.steps(for: session) { steps in
                if try steps.finishedProfile() != nil { return .seeOther("/done") }
                return .seeOther(steps.draft.held == nil ? "/handle" : "/name")
            }
        case .ended(_, let reason): return .seeOther(Self.address(after: reason), cookie: SessionCookie.removal)
        case .stranger: break
        }
        let texts = site.texts
        let notice: String? =
            switch try request.query(WelcomeQuery.self).signed_out {
            case "here": texts.signedOut
            case "remotely": texts.signedOutRemotely
            case "ended": texts.sessionEnded
            case "cancelled": texts.signInCancelled
            default: nil
            }
        return site.pages.response(.welcome, WelcomePage(), PageHead(title: texts.welcome, notice: notice))
    }

    /// The first page, with a notice about the sign-out.
    static func address(after reason: SignOutReason?) -> String {
        switch reason {
        case .remote: "/?signed_out=remotely"
        case .requested: "/?signed_out=here"
        case .timedOut, .elsewhere: "/?signed_out=ended"
        case .neverSignedIn, nil: "/"
        }
    }

    @Sendable private func done(_ request: Request, _ context: SiteContext) async throws -> Response {
        let session = try context.session()
        guard let profile = try await site.steps(for: session, { try $0.finishedProfile() }) else {
            return .seeOther("/handle")
        }
        return site.pages.response(
            .done, DonePage(text: site.texts.doneText(profile.displayName)),
            site.head(site.texts.doneTitle(profile.displayHandle), session))
    }

    private struct SignOutForm: SentForm {
        let token: String?
    }

    @Sendable private func signOut(_ request: Request, _ context: SiteContext) async throws -> Response {
        guard case .signedIn(let id, let session) = context.visit else { return .seeOther("/") }
        _ = try await request.form(SignOutForm.self, of: session, context)
        await site.sessions.end(id)
        return .seeOther(Self.address(after: .requested), cookie: SessionCookie.removal)
    }
}
