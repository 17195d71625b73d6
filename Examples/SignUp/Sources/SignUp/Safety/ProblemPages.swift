import HTTPTypes
import Hummingbird
import Logging
import Onboarding
import Sessions

/// Turns errors into pages. No other code does that.
struct ProblemPages: RouterMiddleware {
    let pages: Pages
    let logger: Logger

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        let texts = pages.texts
        do {
            return try await next(request, context)
        } catch let error as SignedOut {
            // A GET is redirected to the first page. A POST gets an error page: the form has to be sent again.
            if request.method == .get || request.method == .head {
                return .seeOther(
                    WelcomeRoutes.address(after: error.reason),
                    cookie: error.reason == nil ? nil : SessionCookie.removal)
            }
            return page(
                .forbidden, texts.expiredTitle, error.reason == .remote ? texts.signedOutRemotely : texts.sessionEnded,
                "/sign-in", texts.signIn)
        } catch is Forbidden {
            return page(.forbidden, texts.forbiddenTitle, texts.forbiddenText, "/", texts.toTheStart)
        } catch let error as SessionError where error.code.isOfStore {
            logger.error("the store failed: \(error)")
            let isPage = request.method == .get
            return page(
                .serviceUnavailable, texts.storeTitle, isPage ? texts.storeText : texts.storeFormText,
                request.uri.path, texts.tryAgain, again: isPage ? request.uri.path : nil)
        } catch let error as HTTPError where error.status == .notFound {
            return page(.notFound, texts.missingTitle, "", "/", texts.toTheStart)
        } catch let error as HTTPError where error.status.kind == .clientError {
            return page(error.status, texts.badTitle, texts.badText, "/", texts.toTheStart)
        } catch {
            logger.error("\(error)")
            return page(.internalServerError, texts.faultTitle, texts.faultText, "/", texts.toTheStart)
        }
    }

    private func page(
        _ status: HTTPResponse.Status, _ title: String, _ text: String, _ link: String, _ linkText: String,
        again: String? = nil
    ) -> Response {
        pages.response(
            .problem, ProblemPage(text: text, link: link, linkText: linkText, again: again), PageHead(title: title),
            status: status)
    }
}

extension PageTexts {
    /// Why a call of the registry has failed, for people. A failure that they can't correct is logged.
    func message(for failure: CallFailure, _ logger: Logger) -> String {
        switch failure {
        case .refused, .passing: return onboarding.message(for: failure, isRepeated: false)
        case .lasting, .signedOut, .misconfigured:
            logger.error("the registry refuses this program: \(failure)")
            return onboarding.fault
        }
    }
}
