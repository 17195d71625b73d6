import Hummingbird
import NIOCore
import Sessions

/// A request and its session.
struct SiteContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var visit = Visit.stranger

    init(source: ApplicationRequestContextSource) { coreContext = .init(source: source) }

    /// The forms of the pages are far smaller.
    var maxUploadSize: Int { 16 << 10 }
}

enum Visit: Sendable {
    case stranger
    case signedIn(SessionID, WebSession)
    case ended(WebSession, SignOutReason)
}

/// The request needs a session, and there is none.
struct SignedOut: Error {
    /// Nil if the browser had no session.
    let reason: SignOutReason?
}

/// The form was not sent by a page of this session.
struct Forbidden: Error {}

extension SiteContext {
    /// The session of a signed-in browser.
    /// - Throws: ``SignedOut``.
    func session() throws -> WebSession {
        switch visit {
        case .signedIn(_, let session): return session
        case .ended(_, let reason): throw SignedOut(reason: reason)
        case .stranger: throw SignedOut(reason: nil)
        }
    }
}

/// A form of these pages: it has the session's token.
protocol SentForm: Decodable {
    var token: String? { get }
}

extension Request {
    /// Reads a form, and checks that it was sent by a page of this session.
    /// - Throws: ``Forbidden`` for a wrong token; `HTTPError` 413 or 400 for a form that can't be read.
    func form<Form: SentForm>(_ type: Form.Type, of session: WebSession, _ context: SiteContext) async throws -> Form {
        let form: Form
        do {
            form = try await URLEncodedFormDecoder().decode(Form.self, from: self, context: context)
        } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge)
        } catch {
            throw HTTPError(.badRequest)
        }
        guard let token = form.token, Secret.areEqual(token, session.formToken) else { throw Forbidden() }
        return form
    }

    /// Reads the query.
    /// - Throws: `HTTPError` 400.
    func query<Query: Decodable>(_ type: Query.Type) throws -> Query {
        do {
            return try URLEncodedFormDecoder().decode(Query.self, from: uri.query ?? "")
        } catch {
            throw HTTPError(.badRequest)
        }
    }
}

extension Response {
    /// Redirects the browser with 303, so that it sends a GET.
    static func seeOther(_ address: String, cookie: String? = nil) -> Response {
        var response = Response(status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
        if let cookie { response.headers[values: .setCookie].append(cookie) }
        return response
    }
}
