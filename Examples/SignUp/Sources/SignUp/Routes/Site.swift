import Foundation
import HandleClient
import Hummingbird
import Logging
import Onboarding
import Sessions

/// The parts that the routes share.
struct Site: Sendable {
    /// The address that browsers use, without a trailing slash.
    let origin: String
    let pages: Pages
    let sessions: WebSessions
    let signIns: SignIns
    let signInCookie = SignInCookie()
    let registry: RegistryClient
    let drafts: JSONFolder<Draft>
    let profiles: JSONFolder<UserProfile>
    let turns = Turns()
    let checks = CheckLimit()

    var texts: PageTexts { pages.texts }

    func router(logger: Logger) -> Router<SiteContext> {
        let router = Router(context: SiteContext.self)
        router.add(middleware: SafetyHeaders(isSecure: origin.hasPrefix("https:")))
        router.add(middleware: ProblemPages(pages: pages, logger: logger))
        router.add(middleware: OwnHost(origin: origin))
        router.add(middleware: SameOrigin(origin: origin))
        pages.assets.addRoutes(to: router)
        SignInRoutes(site: self).addRoutes(to: router)
        router.get("check", use: CheckRoute(site: self).answer)
        router.get("livez") { _, _ in Response(status: .noContent) }
        // Browsers request it on their own, and log a 404 as an error of the page.
        router.get("favicon.ico") { _, _ in Response(status: .noContent) }
        let visits = router.group().add(middleware: Visits(sessions: sessions))
        WelcomeRoutes(site: self).addRoutes(to: visits)
        HandleRoutes(site: self).addRoutes(to: visits)
        NameRoutes(site: self).addRoutes(to: visits)
        return router
    }

    /// Runs `work` with the person's state. Requests of the same person run one after another.
    func steps<Value: Sendable>(
        for session: WebSession, _ work: @escaping @Sendable (inout SignUpSteps) async throws -> Value
    ) async throws -> Value {
        try await turns.run(for: session.person.owner) {
            var steps = try SignUpSteps(for: session.person, registry: registry, drafts: drafts, profiles: profiles)
            return try await work(&steps)
        }
    }

    /// The head of a page for a signed-in person.
    func head(_ title: String, _ session: WebSession, isFaulty: Bool = false, notice: String? = nil) -> PageHead {
        let isEnding = session.endsAt.timeIntervalSinceNow < Self.warning / .seconds(1)
        return PageHead(
            title: title, isFaulty: isFaulty,
            session: .init(
                signedInAs: texts.signedInAs(session.person.account), token: session.formToken,
                endsSoon: isEnding ? texts.endsSoon(texts.day(session.endsAt)) : nil),
            notice: notice)
    }

    /// How long before the end of a session its pages show a warning.
    private static let warning = Duration.seconds(7 * 86_400)
}
