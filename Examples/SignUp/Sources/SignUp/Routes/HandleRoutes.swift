import HandleClient
import Hummingbird
import Onboarding

/// The first step: the handle.
struct HandleRoutes {
    let site: Site

    func addRoutes(to router: RouterGroup<SiteContext>) {
        router.get("handle", use: show)
        router.post("handle", use: submit)
    }

    private struct Query: Decodable {
        /// The chosen suggestion, if the browser has no JavaScript.
        let handle: String?
        /// Present if another owner took the name before the claim.
        let lost: String?
    }

    @Sendable private func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let session = try context.session()
        let query = try request.query(Query.self)
        return try await site.steps(for: session) { steps in
            if try steps.finishedProfile() != nil { return .seeOther("/done") }
            guard try steps.goBack() else { return .seeOther("/name") }
            let text = query.handle ?? steps.draft.handle
            if !text.isEmpty { try await steps.check(text) }
            try await steps.resume()
            if steps.machine.display != nil { return .seeOther("/name") }
            let field = steps.machine.field
            var fault: String?
            if query.lost != nil, case .unavailable(let reasons, _) = field.state {
                // The person may be the reason, and not another owner.
                let isLost = !reasons.contains { [.ownerLocked, .tooManyChanges].contains($0.code) }
                fault = isLost ? site.texts.lost(field.text) : site.texts.onboarding.message(for: field)
            }
            return page(field, session, fault: fault)
        }
    }

    private struct Form: SentForm {
        let token: String?
        let handle: String?
    }

    @Sendable private func submit(_ request: Request, _ context: SiteContext) async throws -> Response {
        if case .ended(let session, _) = context.visit {
            // Keeps the input for the next sign-in.
            let typed = try await request.form(Form.self, of: session, context).handle ?? ""
            try await site.steps(for: session) { try $0.keep(handle: typed) }
        }
        let session = try context.session()
        let typed = try await request.form(Form.self, of: session, context).handle ?? ""
        return try await site.steps(for: session) { steps in
            if try steps.finishedProfile() != nil { return .seeOther("/done") }
            guard try steps.goBack() else { return .seeOther("/name") }
            try await steps.submit(handle: typed)
            if steps.machine.display != nil { return .seeOther("/name") }
            let field = steps.machine.field
            if let failure = steps.machine.failure {
                return page(field, session, failure: site.texts.message(for: failure, context.logger))
            }
            // The hold was refused, but the check after it found the name free: it may have become free in between.
            if case .available = field.state { return page(field, session) }
            // The status is 200: browsers log each 4xx as an error, and a refused name is an expected result.
            let message = site.texts.onboarding.message(for: field) ?? ""
            let name = field.display.map { "\($0): " } ?? ""
            return page(field, session, fault: name + message)
        }
    }

    /// - Parameters:
    ///   - fault: why the form was refused.
    ///   - failure: why the request failed. The form is valid and has to be sent again.
    private func page(
        _ field: HandleFieldMachine, _ session: WebSession, fault: String? = nil, failure: String? = nil
    ) -> Response {
        site.pages.response(
            .handle, HandlePage(field, fault: fault, texts: site.texts),
            site.head(site.texts.handleTitle, session, isFaulty: fault != nil, notice: failure),
            status: failure == nil ? .ok : .serviceUnavailable)
    }
}
