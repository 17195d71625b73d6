import HandleRules
import Hummingbird
import Onboarding

/// The second step: the person's name, and the capitals of the handle. It claims the handle.
struct NameRoutes {
    let site: Site

    func addRoutes(to router: RouterGroup<SiteContext>) {
        router.get("name", use: show)
        router.post("name", use: submit)
    }

    @Sendable private func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let session = try context.session()
        return try await site.steps(for: session) { steps in
            if try steps.finishedProfile() != nil { return .seeOther("/done") }
            try await steps.openSecondStep()
            guard steps.draft.isSent else { return page(steps, session) }
            try await steps.finish()
            return outcome(steps, session, context)
        }
    }

    private struct Form: SentForm {
        let token: String?
        let name: String?
        let display: String?
    }

    @Sendable private func submit(_ request: Request, _ context: SiteContext) async throws -> Response {
        if case .ended(let session, _) = context.visit {
            // Keeps the input for the next sign-in.
            let typed = try await request.form(Form.self, of: session, context).name ?? ""
            try await site.steps(for: session) { try $0.keep(displayName: typed) }
        }
        let session = try context.session()
        let form = try await request.form(Form.self, of: session, context)
        let name = form.name ?? ""
        return try await site.steps(for: session) { steps in
            if try steps.finishedProfile() != nil { return .seeOther("/done") }
            try await steps.openSecondStep()
            guard let display = steps.machine.display else { return .seeOther("/handle") }
            let spelled = form.display.flatMap { Reading(folding: $0).display }
            let hasOtherLetters = form.display != nil && spelled?.handle != display.handle
            guard DisplayName.fault(in: name) == nil, !hasOtherLetters else {
                try steps.keep(displayName: name)
                return page(steps, session, isSent: true, otherLetters: hasOtherLetters ? form.display : nil)
            }
            try await steps.submit(displayName: name, display: spelled)
            return outcome(steps, session, context)
        }
    }

    /// The response after a claim.
    private func outcome(_ steps: SignUpSteps, _ session: WebSession, _ context: SiteContext) -> Response {
        switch steps.machine.state {
        case .done: return .seeOther("/done")
        case .held, .displayName, .claimed:
            let failure = steps.machine.failure ?? .passing(retryAfter: nil)
            return page(steps, session, failure: site.texts.message(for: failure, context.logger))
        case .unavailable: return .seeOther("/handle?lost=1")
        case .empty, .malformed, .checking, .available, .unknown: return .seeOther("/handle")
        }
    }

    /// - Parameters:
    ///   - isSent: whether to show the faults of the form.
    ///   - otherLetters: the sent display handle, if its letters are not those of the handle.
    ///   - failure: why the request failed. The form is valid and has to be sent again.
    private func page(
        _ steps: SignUpSteps, _ session: WebSession, isSent: Bool = false, otherLetters: String? = nil,
        failure: String? = nil
    ) -> Response {
        guard let display = steps.machine.display else { return .seeOther("/handle") }
        let texts = site.texts
        let isClaimed: Bool = if case .claimed = steps.machine.state { true } else { false }
        let isOpen = !isClaimed && steps.draft.claim == nil
        let name = steps.draft.displayName
        let page = NamePage(
            step: texts.step(2), nameLabel: texts.onboarding.displayNameLabel,
            nameHint: texts.onboarding.displayNameHint, name: name,
            nameFault: isSent ? DisplayName.fault(in: name).map(texts.onboarding.displayNameFault) : nil,
            display: display.description, handle: display.handle.description,
            spelling: isOpen
                ? .init(
                    label: texts.spellingLabel, hint: texts.spellingHint(display),
                    typed: otherLetters ?? display.description,
                    fault: otherLetters == nil ? nil : texts.spellingFault(display.handle.description),
                    mismatch: texts.spellingFault(display.handle.description)) : nil,
            claimed: isClaimed ? texts.claimed : nil, isRepeated: failure != nil, canGoBack: isOpen,
            next: texts.onboarding.next, back: texts.onboarding.back)
        return site.pages.response(
            .name, page, site.head(texts.nameTitle, session, isFaulty: page.hasFault, notice: failure),
            status: failure == nil ? .ok : .serviceUnavailable)
    }
}
