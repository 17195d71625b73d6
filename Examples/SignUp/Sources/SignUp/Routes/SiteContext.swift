import Hummingbird
import NIOCore
import Sessions

/// A request and its session.
struct SiteContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var visit = Visit.stranger

    init(source: ApplicationRequestContextSource) { coreContext = .init(source: source) }

    /// A form of ours is far smaller.
    var maxUploadSize: Int { 16 << 10 }
}

enum Visit: Sendable {
    case stranger
    case signedIn(SessionID, WebSession)
    case ended(WebSession, SignOutReason)
}

/// The request needs a session, and there is none.
struct SignedOut: Error {
    /// Nil for a browser that had none.
    let reason: SignOutReason?
}

/// The form was not sent by a page of this session.
struct Forbidden: Error {}

extension SiteContext {
    /// The signed-in browser.
    /// - Throws: ``SignedOut``.
    func session() throws -> WebSession {
        switch visit {
        case .signedIn(_, let session): return session
        case .ended(_, let reason): throw SignedOut(reason: reason)
        case .stranger: throw SignedOut(reason: nil)
        }
    }
}

/// The fields of a form of ours.
protocol SentForm: Decodable {
    var token: String? { get }
}

extension Request {
    /// Reads a form, and checks that a page of this session has sent it.
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
    func query<Query: Decodable>(_ type: Query.Type) throws -> Query {
        do {
            return try URLEncodedFormDecoder().decode(Query.self, from: uri.query ?? "")
        } catch {
            throw HTTPError(.badRequest)
        }
    }
}

extension Response {
    /// Leads the browser on with a GET.
    static func seeOther(_ address: String, cookie: String? = nil) -> Response {
        var response = Response(status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
        if let cookie { response.headers[values: .setCookie].append(cookie) }
        return response
    }
}
